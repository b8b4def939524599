#include "base/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace openseat {
namespace {

using ::testing::HasSubstr;

TEST(Metrics, GivesTheSameObjectForTheSameNameAndLabels) {
  Metrics metrics;
  Counter& a = metrics.AddCounter("x_total", "Things.", {{"a", "1"}, {"b", "2"}});
  Counter& b = metrics.AddCounter("x_total", "Things.", {{"b", "2"}, {"a", "1"}});
  EXPECT_EQ(&a, &b);
  EXPECT_NE(&a, &metrics.AddCounter("x_total", "Things.", {{"a", "2"}}));
}

TEST(Metrics, WritesThePrometheusTextFormat) {
  Metrics metrics;
  metrics.AddCounter("x_total", "Things.", {{"kind", "a\"b"}}).Add(3);
  metrics.AddGauge("y", "Level.").Set(-2);
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("# HELP x_total Things.\n# TYPE x_total counter\nx_total{kind=\"a\\\"b\"} 3"));
  EXPECT_THAT(text, HasSubstr("# TYPE y gauge\ny -2"));
}

TEST(Metrics, EscapesTexts) {
  Metrics metrics;
  metrics.AddCounter("x_total", "A \"\\\n.", {{"kind", "a\n\\\""}, {"other", ""}}).Add(1);
  EXPECT_EQ(metrics.Text(),
            "# HELP x_total A \"\\\\\\n.\n# TYPE x_total counter\n"
            "x_total{kind=\"a\\n\\\\\\\"\",other=\"\"} 1\n");
}

TEST(Metrics, ReadsWhatOthersCount) {
  Metrics metrics;
  double level = 1;
  metrics.AddReading("cost_total", "Cost.", true, [&] { return level / 4; }, {{"model", "a"}});
  metrics.AddReading("level", "Level.", false, [&] { return level; });
  level = 3;
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("# TYPE cost_total counter\ncost_total{model=\"a\"} 0.75"));
  EXPECT_THAT(text, HasSubstr("# TYPE level gauge\nlevel 3"));
}

TEST(Metrics, AHistogramCountsUpToAndWithItsBounds) {
  Metrics metrics;
  Histogram& histogram = metrics.AddHistogram("t_seconds", "Time.", {0.1, 1});
  for (const double value : {0.05, 0.1, 0.5, 7.0}) histogram.Observe(value);
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("t_seconds_bucket{le=\"0.1\"} 2"));
  EXPECT_THAT(text, HasSubstr("t_seconds_bucket{le=\"1\"} 3"));
  EXPECT_THAT(text, HasSubstr("t_seconds_bucket{le=\"+Inf\"} 4"));
  EXPECT_THAT(text, HasSubstr("t_seconds_sum 7.65\nt_seconds_count 4\n"));
}

TEST(MetricsDeathTest, RefusesTwoKindsOfOneName) {
  Metrics metrics;
  metrics.AddCounter("x", "Things.");
  EXPECT_DEATH(metrics.AddGauge("x", "Things.", {{"a", "1"}}), "one kind");
}

}  // namespace
}  // namespace openseat
