import type { Contract } from '../../contract/contract.ts'
import type { Judged } from '../facts/fact.ts'
import { fault, hasStatus, last } from '../facts/judge.ts'
import type { Question } from '../service/answer.ts'
import type { Subject } from '../subject.ts'
import { type Probe, single } from './probe.ts'

const RANK = 62

/** What no specification needs to say: paths and methods that there are not. */
export function routeProbes({ operations }: Contract, subjects: readonly Subject[]): Probe[] {
  const unknown: Question = { method: 'GET', target: '/no-such-path-verify', credentials: 'key' }
  const paths = new Map(subjects.map(({ resource }) => [resource.path, resource]))
  const wrong = [...paths.keys()].flatMap((path): Question[] => {
    const there = operations.filter((one) => one.path === path).map(({ method }) => method)
    const method = ['DELETE', 'PUT', 'PATCH'].find((one) => !there.includes(one))
    return method ? [{ method, target: path, credentials: 'key' }] : []
  })

  return [
    single(RANK, unknown, [
      general('unknown-path', 'Answers 404 for a path that there is not', 'Errors', hasStatus(404)),
    ]),
    ...wrong.map((question) => {
      const what = `${question.method} ${question.target}`
      const id = `wrong-method/${what}`
      return single(
        RANK,
        question,
        [
          general(id, `Answers 405 for ${what}, which there is not`, 'Endpoints', hasStatus(405)),
          general(
            `${id}/allow`,
            `Tells in Allow what there is in place of ${what}`,
            'Endpoints',
            last((answer) =>
              answer.headers.get('Allow') ? 'passed' : fault(answer, 'Allow: GET, …', 'no Allow'),
            ),
          ),
        ],
        'writes',
      )
    }),
  ]
}

function general(id: string, name: string, clause: string, judge: Judged['judge']): Judged {
  return { id, name, clause, decision: true, judge }
}
