const ITEM = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { type: 'integer', readOnly: true },
    name: { type: 'string', minLength: 1 },
    size: { type: 'integer', minimum: 0 },
    isNew: { type: 'boolean' },
    state: { type: 'string', enum: ['open', 'sold'] },
    bornAt: { type: ['string', 'null'], format: 'date-time' },
    tags: { type: 'array', items: { type: 'string' } },
  },
}
const PART = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' } },
}

/** A document with a property of each type, and a collection below records. */
export const RECORDS_DOCUMENT: object = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    ...collection('/items', 'itemId', ITEM),
    ...collection('/items/{itemId}/parts', 'partId', PART),
  },
}

const NAMED = { id: { type: 'integer', readOnly: true }, name: { type: 'string', minLength: 2 } }

/** A document whose records refer to each other: animals to their zoo, which has keepers below it. */
export const ZOO_DOCUMENT: object = {
  openapi: '3.1.0',
  info: { title: 'Zoos', version: '1' },
  paths: {
    ...collection('/zoos', 'id', { type: 'object', required: ['name'], properties: NAMED }),
    ...collection('/animals', 'id', {
      type: 'object',
      required: ['name', 'zooId'],
      properties: {
        ...NAMED,
        zooId: { type: 'integer' },
        size: { type: 'integer', minimum: 0, maximum: 500 },
      },
    }),
    ...collection('/zoos/{zooId}/keepers', 'keeperId', {
      type: 'object',
      required: ['name'],
      properties: NAMED,
    }),
  },
}

function collection(path: string, id: string, schema: object): object {
  const content = (of: object): object => ({ content: { 'application/json': { schema: of } } })
  const parents = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const parameters = [...parents, id].map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  }))
  const missing = { '404': { description: 'Missing' } }

  return {
    [path]: {
      parameters: parameters.slice(0, -1),
      get: {
        responses: { '200': { description: 'All', ...content({ type: 'array', items: schema }) } },
      },
      post: {
        requestBody: { required: true, ...content(schema) },
        responses: { '201': { description: 'New', ...content(schema) } },
      },
    },
    [`${path}/{${id}}`]: {
      parameters,
      get: { responses: { '200': { description: 'One', ...content(schema) }, ...missing } },
      delete: { responses: { '204': { description: 'Gone' }, ...missing } },
    },
  }
}
