import { documentedResponse } from '../../contract/documented-response.ts'
import type { RefusalAnswer } from '../../contract/hints.ts'
import { Problem, problems } from '../../http/problem.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import type { ResourceBinding } from '../bind.ts'
import { idOf } from '../id-generator.ts'
import { type InvalidRecordError, invalidProperty } from '../invalid-record-error.ts'
import type { Resource } from '../resource.ts'
import type { Records } from '../store/records.ts'
import { sentPlace } from './sent-record.ts'

const TAKEN = [409, 422, 400]

/** Where a record is added or changed: by an operation, or by a test. */
interface UniquePlace {
  readonly records: Records
  readonly binding?: ResourceBinding | undefined
}

/** Rejects with the refusal of a value that another record has, and that no two records may have. */
export async function refuseTaken(
  record: StoredRecord,
  { records, binding }: UniquePlace,
): Promise<void> {
  const { resource } = records
  for (const [name, answer] of Object.entries(resource.unique ?? {})) {
    const value = record[name]
    if (value === undefined || value === null) continue
    const { records: found } = await records.page({ where: { [name]: value }, limit: 2 })
    const isOther = found.some((one) => idOf(one, resource.id) !== idOf(record, resource.id))
    if (isOther) throw takenValue(name, value, answer, resource, binding)
  }
}

function takenValue(
  name: string,
  value: unknown,
  { status, code, message }: RefusalAnswer,
  { name: collection }: Resource,
  binding: ResourceBinding | undefined,
): Problem | InvalidRecordError {
  if (!binding)
    return invalidProperty(name, `must be unique (another record has ${JSON.stringify(value)})`)
  const conflict = problems.conflict(
    `The collection "${collection}" already has a record whose ${name} is ${JSON.stringify(value)}.`,
  )
  const documented = TAKEN.find((one) => documentedResponse(binding.operation, one) !== undefined)

  return new Problem(
    status ?? documented ?? conflict.status,
    code ?? conflict.code,
    message ?? conflict.message,
    {},
    { conflict: sentPlace(name, binding) },
  )
}
