import { OUTCOMES } from '../../../forcing/outcomes.ts'
import type { Choice } from '../../parts/field.tsx'
import type { OperationDetails } from './operation-types.ts'

type ResponseDetails = OperationDetails['responses'][number]

/** The preferences that a request can have: none, each documented status with its named examples, and each outcome. */
export function preferChoices({
  responses,
}: Pick<OperationDetails, 'responses'>): readonly Choice[] {
  const statuses = [...new Set(responses.map(({ status }) => status))]

  return [
    { value: '', label: 'No preference' },
    ...statuses.flatMap((status) => [
      { value: `code=${status}` },
      ...responses.filter((one) => one.status === status).flatMap(exampleChoices),
    ]),
    ...OUTCOMES.map((outcome) => ({ value: `outcome=${outcome}` })),
    { value: 'handling=strict' },
    { value: 'handling=lenient' },
  ]
}

/** The examples of a response. A header can carry names in ASCII only. */
function exampleChoices({ status, examples }: ResponseDetails): readonly Choice[] {
  return examples
    .filter((name) => /^[\x20-\x7e]+$/.test(name))
    .map((name) => ({
      value: `code=${status}, example=${JSON.stringify(name)}`,
      label: `code=${status}, example ${name}`,
    }))
}
