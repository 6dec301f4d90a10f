#include "choose.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "kinema/random.h"

namespace kinema::subset {
namespace {

using Indices = std::vector<std::size_t>;

// By length when asked, then in an order that looks random and depends on seed and key alone.
Indices ordered(Indices indices, const std::vector<Card>& cards, std::int64_t seed, bool by_length) {
  std::vector<std::tuple<double, std::uint64_t, std::size_t>> order;
  for (const std::size_t i : indices)
    order.emplace_back(by_length ? cards[i].length : 0,
                       Random(static_cast<std::uint64_t>(seed), 0, 0, cards[i].key).bits(), i);
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) indices[i] = std::get<2>(order[i]);
  return indices;
}

std::size_t share(double fraction, std::size_t count) {
  const auto wanted = std::llround(fraction * static_cast<double>(count));
  return static_cast<std::size_t>(std::clamp<long long>(wanted, 1, static_cast<long long>(count)));
}

std::map<std::int64_t, Indices> of_groups(const std::vector<Card>& cards) {
  std::map<std::int64_t, Indices> groups;
  for (std::size_t i = 0; i < cards.size(); ++i) groups[cards[i].group].push_back(i);
  return groups;
}

void take_first(const Indices& order, std::size_t count, Indices& kept) {
  kept.insert(kept.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
}

Indices ascending(Indices indices) {
  std::sort(indices.begin(), indices.end());
  return indices;
}

}  // namespace

Indices random_share(const std::vector<Card>& cards, double fraction, std::int64_t seed) {
  Indices all(cards.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  Indices kept;
  if (!all.empty()) take_first(ordered(all, cards, seed, false), share(fraction, all.size()), kept);
  return ascending(std::move(kept));
}

Indices share_of_each(const std::vector<Card>& cards, double fraction, std::int64_t seed) {
  Indices kept;
  for (const auto& [group, indices] : of_groups(cards))
    take_first(ordered(indices, cards, seed, false), share(fraction, indices.size()), kept);
  return ascending(std::move(kept));
}

Indices count_of_each(const std::vector<Card>& cards, std::int64_t count, std::int64_t seed) {
  Indices kept;
  for (const auto& [group, indices] : of_groups(cards))
    take_first(ordered(indices, cards, seed, false),
               std::min(static_cast<std::size_t>(count), indices.size()), kept);
  return ascending(std::move(kept));
}

Indices representative(const std::vector<Card>& cards, double fraction, std::int64_t seed) {
  Indices kept;
  for (const auto& [group, indices] : of_groups(cards)) {
    const Indices order = ordered(indices, cards, seed, true);
    const std::size_t count = share(fraction, order.size());
    for (std::size_t k = 0; k < count; ++k) kept.push_back(order[(2 * k + 1) * order.size() / (2 * count)]);
  }
  return ascending(std::move(kept));
}

}  // namespace kinema::subset
