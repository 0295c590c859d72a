import type { Contract, SchemaValidator } from '../contract/contract.ts'
import type { Resource } from '../resources/resource.ts'

const validate: SchemaValidator = Object.assign(() => true, { errors: null })

/**
 * What a world knows about sign-in: grants, codes, tokens, sessions and keys. It is a collection of records that no path leads to, so that
 * snapshots, forks, state files and shared stores keep it as they keep records. Its name cannot be that of a collection of a document.
 */
export const SIGN_IN_RECORDS: Resource = {
  name: '(sign-in)',
  path: '/(sign-in)',
  id: 'id',
  idSchema: { type: 'string' },
  schema: { type: 'object' },
  validate,
  filters: ['kind', 'grant'],
  hidden: new Set(),
  startsEmpty: true,
}

/** The collections of a service that its state may have: those of the document, and that of sign-in. */
export function storedResources({
  resources,
  settings,
}: {
  readonly resources: readonly Resource[]
  readonly settings: { readonly contract: Contract }
}): readonly Resource[] {
  return settings.contract.signIn ? [...resources, SIGN_IN_RECORDS] : resources
}
