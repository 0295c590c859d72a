import type { Schema } from '../contract/contract.ts'
import type { Resource } from '../resources/resource.ts'

/** A collection of books whose records have these properties besides the id. `more` are further keywords of their schema. */
export function exampleResource(
  properties: Record<string, Schema>,
  more: Partial<Schema> = {},
): Resource {
  return {
    name: 'books',
    path: '/books',
    id: 'id',
    idSchema: { type: 'integer' },
    schema: { type: 'object', properties: { id: { type: 'integer' }, ...properties }, ...more },
    validate: () => true,
    filters: [],
    hidden: new Set(),
  }
}
