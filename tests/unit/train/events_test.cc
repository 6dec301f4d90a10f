#include "framework/train/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/error.h"

namespace kinema::train {
namespace {

const auto kSilent = [](std::string_view) {};

struct Asking : Callback {
  void step_end(const FitState&, FitControl& control) override {
    control.request_checkpoint("first");
    control.request_checkpoint("second");
    control.release_checkpoint("old");
    control.request_stop("enough");
  }
  std::int64_t seen = 0;
  Value save() const override { return Value::table({{"seen", seen}}); }
  void load(const Value& saved) override { seen = saved.find("seen")->as_integer(); }
};

template <class Thrown>
struct Throwing : Callback {
  void step_end(const FitState&, FitControl&) override { throw Thrown(); }
};
struct Broken : std::exception {
  const char* what() const noexcept override { return "broken"; }
};

template <class Thrown>
std::string message_of() {
  Events events({{"bad", std::make_shared<Throwing<Thrown>>()}}, kSilent);
  try {
    events.tell(&Callback::step_end, {});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::plugin);
    return error.what();
  }
  return "no error";
}

TEST(events, name_the_callback_that_threw) {
  EXPECT_EQ(message_of<Broken>(), "callback bad: broken");
  EXPECT_EQ(message_of<int>(), "callback bad: threw something that is not an exception");
}

TEST(events, keep_the_first_reason_to_stop) {
  Events events({{"a", std::make_shared<Asking>()}}, kSilent);
  EXPECT_EQ(events.stop_reason(), std::nullopt);
  events.tell(&Callback::step_end, {});
  events.request_stop("later");
  EXPECT_EQ(events.stop_reason(), "enough");
}

// "+first" for a checkpoint, "-old" for a release.
std::string next(Events& events) {
  const auto request = events.next_request();
  return request ? (request->release ? "-" : "+") + request->name : "nothing";
}

TEST(events, requests_that_were_not_served_survive_a_stop) {
  Events events({{"a", std::make_shared<Asking>()}}, kSilent);
  events.tell(&Callback::step_end, {});
  EXPECT_EQ(next(events), "+first");
  const Value saved = events.save();
  Events resumed({{"a", std::make_shared<Asking>()}}, kSilent);
  resumed.load(saved);
  EXPECT_EQ(resumed.save(), saved);
  EXPECT_EQ(next(resumed), "+second");
  EXPECT_EQ(next(resumed), "-old");
  EXPECT_EQ(next(resumed), "nothing");
}

TEST(events, requests_of_a_callback_that_is_gone_are_served_all_the_same) {
  Events events({{"a", std::make_shared<Asking>()}}, kSilent);
  events.tell(&Callback::step_end, {});
  Events resumed({}, kSilent);
  resumed.load(events.save());
  const auto request = resumed.next_request();
  EXPECT_EQ(request->name, "first");
  resumed.tell_failed({}, *request);  // nobody to tell
}

struct Minding : Asking, HandlesFailedCheckpoint {
  std::vector<std::string> failed;
  void checkpoint_failed(const FitState&, FitControl&, const std::string& name) override {
    failed.push_back(name);
  }
};

TEST(events, a_failed_checkpoint_is_told_to_who_asked_and_takes_back_its_releases_alone) {
  const auto minding = std::make_shared<Minding>(), other = std::make_shared<Minding>();
  Events events({{"a", minding}, {"b", other}}, kSilent);
  events.tell(&Callback::step_end, {});
  events.tell_failed({}, *events.next_request());
  EXPECT_THAT(minding->failed, testing::ElementsAre("first"));
  EXPECT_TRUE(other->failed.empty());
  EXPECT_EQ(next(events), "+second");
  EXPECT_EQ(next(events), "+first");
  EXPECT_EQ(next(events), "+second");
  EXPECT_EQ(next(events), "-old");
  EXPECT_EQ(next(events), "nothing");
}

TEST(events, give_each_callback_its_own_state_back_and_let_new_ones_start_afresh) {
  const auto first = std::make_shared<Asking>(), second = std::make_shared<Asking>();
  first->seen = 1;
  second->seen = 2;
  const Value saved = Events({{"a", first}, {"a", second}}, kSilent).save();
  const auto again = std::make_shared<Asking>(), other = std::make_shared<Asking>(),
             added = std::make_shared<Asking>();
  Events({{"a", again}, {"b", other}, {"a", added}}, kSilent).load(saved);
  EXPECT_EQ(again->seen, 1);
  EXPECT_EQ(other->seen, 0);
  EXPECT_EQ(added->seen, 0);
}

}  // namespace
}  // namespace kinema::train
