#include <new>

#include "empty_dataset.h"

// A library that loads and whose components fail when they are made.
namespace {

struct NestOptions {
  kinema::Component<kinema::Dataset> inner;
};

std::shared_ptr<kinema::Dataset> fails(int how) {
  if (how == 0) throw kinema::Error(kinema::ErrorKind::data, "list.csv", "no such list");
  if (how == 1) throw std::runtime_error("index out of step\nException raised from check at a.cpp:3");
  if (how == 2) throw 3;
  if (how == 3) throw std::bad_alloc();
  return nullptr;
}

}  // namespace

KINEMA_PLUGIN("failing_factories", "1.0", "fails in each way when something is made") {
  const kinema::Options<kinema::NoOptions> none;
  const char* names[] = {"fails_error", "fails_exception", "fails_int", "fails_memory", "fails_null"};
  for (int how = 0; how < 5; ++how)
    registrar.add<kinema::Dataset>(names[how], "fails", none,
                                   [how](const kinema::NoOptions&, kinema::Context&) { return fails(how); });
  registrar.add<kinema::Dataset>(
      "nest", "holds another one",
      kinema::Options<NestOptions>().add("inner", &NestOptions::inner, "the other one").required(),
      [](const NestOptions& o, kinema::Context& context) { return context.make(o.inner); });
  registrar.add<kinema::Dataset>("endless", "makes itself", none,
                                 [](const kinema::NoOptions&, kinema::Context& context) {
                                   return context.make(kinema::Component<kinema::Dataset>{"endless"});
                                 });
}
