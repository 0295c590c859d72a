import type { Contract } from '../contract/contract.ts'
import { answerFacts } from './facts/answers.ts'
import type { Judged } from './facts/fact.ts'
import { quotaFacts } from './facts/quota.ts'
import { accessProbes } from './probes/access.ts'
import { changeProbes } from './probes/change.ts'
import { createProbes } from './probes/create.ts'
import { exhaustProbe } from './probes/exhaust.ts'
import { listProbes } from './probes/list.ts'
import { otherProbes } from './probes/other.ts'
import { headProbe, pageProbes } from './probes/pages.ts'
import { parameterProbes, validParameterProbes } from './probes/parameters.ts'
import type { Probe } from './probes/probe.ts'
import { readProbes } from './probes/read.ts'
import { routeProbes } from './probes/route.ts'
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
