import type { Operation } from '../../contract/contract.ts'
import { deprecationHeaders } from '../../contract/deprecation.ts'
import type { Answer } from '../service/answer.ts'
import { linkOf } from '../subject.ts'
import { clauseOf, factOf, type Judged } from './fact.ts'
import { eachOf, fault, isOf } from './judge.ts'

/** Deprecation in headers is the document's decision: the specification says it in words. */
export function deprecationFacts(operation: Operation): Judged[] {
  if (!operation.deprecation) return []
  const base = 'http://target'
  const expected = deprecationHeaders(operation.deprecation, base)

  return Object.entries(expected).map(([name, value]) =>
    factOf(
      operation,
      `deprecation/${name}`,
      `tells of its deprecation in ${name}`,
      eachOf(
        (answer) => isOf(operation, answer),
        (answer) => {
          const told = answer.headers.get(name)
          const isRight = name === 'Link' ? pointsTo(answer, value) : told === value
          return isRight
            ? 'passed'
            : fault(answer, `${name}: ${value.replace(base, '…')}`, told ?? 'it is missing')
        },
      ),
      { decision: true, clause: name === 'Sunset' ? 'Versioning, 3' : clauseOf(operation) },
    ),
  )
}

/** The end of the address counts; its start depends on where the service is. */
function pointsTo({ headers }: Answer, expected: string): boolean {
  const target = linkOf(headers, 'successor-version') ?? ''
  const [, path = ''] = /<http:\/\/target([^>]*)>/.exec(expected) ?? []

  return path === '' ? expected.includes(`<${target}>`) : target.endsWith(path)
}
