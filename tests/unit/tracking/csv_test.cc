#include "framework/tracking/csv.h"

#include <gtest/gtest.h>

namespace kinema::tracking {
namespace {

TEST(csv, quotes_what_would_break_a_row) {
  EXPECT_EQ(csv_text({{"class", "n"}, {"a,b", "1"}, {"say \"hi\"", ""}}),
            "class,n\n\"a,b\",1\n\"say \"\"hi\"\"\",\n");
  EXPECT_EQ(csv_text({}), "");
}

}  // namespace
}  // namespace kinema::tracking
