const ORG = { type: 'object', required: ['id'], properties: { id: text(), name: text() } }
const REPO = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: text() },
}

/** A document of organisations, which have repositories. */
export const NESTED_DOCUMENT: object = {
  openapi: '3.0.3',
  info: { title: 'Code', version: '1' },
  paths: {
    ...collection('/orgs', 'org', ORG),
    ...collection('/orgs/{org}/repos', 'repo', REPO),
  },
}

function collection(path: string, id: string, schema: object): object {
  const above = path.includes('{') ? [parameter('org')] : []
  const json = (of: object): object => ({ content: { 'application/json': { schema: of } } })
  const answer = (status: string, of: object): object => ({
    responses: { [status]: { description: 'OK', ...json(of) }, 404: { description: 'Missing' } },
  })

  return {
    [path]: {
      parameters: above,
      get: answer('200', { type: 'array', items: schema }),
      post: {
        requestBody: json({ type: 'object', properties: { id: text(), name: text() } }),
        ...answer('201', schema),
      },
    },
    [`${path}/{${id}}`]: {
      parameters: [...above, parameter(id)],
      get: answer('200', schema),
      delete: { responses: { 204: { description: 'OK' }, 404: { description: 'Missing' } } },
    },
  }
}

function parameter(name: string): object {
  return {
    name,
    in: 'path',
    required: true,
    schema: name === 'repo' ? { type: 'integer' } : text(),
  }
}

function text(): object {
  return { type: 'string' }
}
