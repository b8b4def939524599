// The third decision is not the third choice.
#include "base/ids.h"

using DecisionId = openseat::NumberId<struct DecisionTag>;
using ChoiceId = openseat::NumberId<struct ChoiceTag>;

bool Test(DecisionId decision, ChoiceId choice) {
#ifdef MISUSE
  if (decision == choice) return true;
#endif
  return decision == DecisionId(3) && choice == ChoiceId(3);
}
