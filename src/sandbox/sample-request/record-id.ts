import type { Operation } from '../../contract/contract.ts'
import type { PathValues } from '../../resources/collection-name.ts'
import type { Trial } from '../trial.ts'

/**
 * The id of the first record that an operation is about, or of the first one above it, for the path parameter that contains it;
 * `undefined` for another one. `known` are the values of the parameters before it in the path.
 */
export async function recordId(
  trial: Pick<Trial, 'binding' | 'resources' | 'firstId'>,
  operation: Operation,
  parameter: string,
  known: PathValues = {},
): Promise<string | undefined> {
  const binding = trial.binding(operation)
  if (binding.action === 'stateless') return undefined
  const { resource } = binding
  const { path, idParameter } = resource
  const found =
    idParameter === parameter
      ? resource
      : trial.resources().find((one) => path.startsWith(`${one.path}/{${parameter}}/`))
  if (!found || found.parents?.some((name) => !Object.hasOwn(known, name))) return undefined
  const id = await trial.firstId(found, known)

  return id === undefined ? undefined : String(id)
}
