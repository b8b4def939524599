#include "base/line_sieve.h"

#include <utility>

#include "base/budget.h"

namespace openseat {

bool LineSieve::Take(std::string_view kind, std::string_view from, Instant now) {
  std::string address = AddressKey(from);
  std::string name(kind);
  name += ' ';
  name += address;
  if (of_all_.Wait(rates_.of_all, 1, now) == Duration(0) && of_address_.Take(name, now) == Duration(0)) {
    static_cast<void>(of_all_.Take(rates_.of_all, 1, now));
    return true;
  }
  if (left_out_++ == 0) {
    from_ = std::move(address);
  } else {
    several_ = several_ || address != from_;
  }
  return false;
}

std::optional<LineSieve::LeftOut> LineSieve::TellLeftOut(Instant now) {
  if (left_out_ == 0 || (told_ && now - *told_ < rates_.tell_every)) return std::nullopt;
  told_ = now;
  std::string from = std::exchange(from_, {});
  if (std::exchange(several_, false)) from = "several addresses";
  return LeftOut{.lines = std::exchange(left_out_, 0), .from = std::move(from)};
}

}  // namespace openseat
