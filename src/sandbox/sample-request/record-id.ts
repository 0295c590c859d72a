import type { Operation } from '../../contract/contract.ts'
import type { Trial } from '../trial.ts'

/** The id of the first record that an operation is about, for the path parameter that contains it; `undefined` for another one. */
export async function recordId(
  trial: Pick<Trial, 'binding' | 'firstId'>,
  operation: Operation,
  parameter: string,
): Promise<string | undefined> {
  const binding = trial.binding(operation)
  if (binding.action === 'stateless' || binding.resource.idParameter !== parameter) return undefined
  const id = await trial.firstId(binding.resource)

  return id === undefined ? undefined : String(id)
}
