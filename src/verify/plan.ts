import type { Contract } from '../contract/contract.ts'
import type { Judged } from './fact.ts'
import { answerFacts } from './observe-answers.ts'
import { quotaFacts } from './observe-quota.ts'
import type { Probe } from './probe.ts'
import { accessProbes } from './probe-access.ts'
import { changeProbes } from './probe-change.ts'
import { createProbes } from './probe-create.ts'
import { exhaustProbe } from './probe-exhaust.ts'
import { listProbes } from './probe-list.ts'
import { otherProbes } from './probe-other.ts'
import { headProbe, pageProbes } from './probe-pages.ts'
import { parameterProbes, validParameterProbes } from './probe-parameters.ts'
import { readProbes } from './probe-read.ts'
import { routeProbes } from './probe-route.ts'
import { subjectsOf } from './subject.ts'

/** What is asked of a target, in order, and what is judged by all answers together. */
export interface Plan {
  readonly probes: readonly Probe[]
  readonly observations: readonly Judged[]
}

/** Makes the checks of a contract. */
export function planFor(contract: Contract): Plan {
  const { subjects, others } = subjectsOf(contract)
  const lists = subjects.flatMap(({ operations: { list } }) => (list ? [list] : []))
  const quota = quotaFacts(contract)
  const [first] = lists
  const probes = [
    ...subjects.flatMap((subject) => [
      ...listProbes(subject),
      ...pageProbes(subject),
      ...readProbes(subject),
      ...createProbes(subject),
      ...changeProbes(subject),
    ]),
    ...lists.flatMap((list) => [...parameterProbes(list), headProbe(list)]),
    ...otherProbes(others),
    ...others
      .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
      .flatMap((one) => [...parameterProbes(one), ...validParameterProbes(one)]),
    ...accessProbes(contract.operations, subjects),
    ...routeProbes(contract, subjects),
    ...(first && quota.length > 0 ? [exhaustProbe(first)] : []),
  ]

  return {
    probes: probes.filter(({ facts }) => facts.length > 0).sort((one, two) => one.rank - two.rank),
    observations: [...answerFacts(contract), ...quota],
  }
}
