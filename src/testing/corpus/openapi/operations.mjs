// The operations of an OpenAPI 3 document, in a form without references outside of schemas:
//
//   { name, method, path, servers, parameters, body, responses, security }
//
// `parameters` have `name`, `in`, `required`, `style`, `explode`, `schema`, `isJson` and `examples`. `body` and each response have
// `content`, a list of `{ type, schema, examples, encoding }`. `security` is a list of alternatives, each a list of schemes.
import { resolved } from './references.mjs'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** The operations that have responses. */
export function operationsOf(document) {
  return pathItemsOf(document).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = resolved(document, item[method])
      if (!isObject(operation?.responses)) return []
      return [toOperation(document, { path, method, item, operation })]
    }),
  )
}

/** The paths of a document. A fragment is no path that a client can send. */
export function pathItemsOf(document) {
  return Object.entries(document.paths ?? {})
    .map(([path, item]) => [path, resolved(document, item)])
    .filter(([path, item]) => isObject(item) && path.startsWith('/') && !path.includes('#'))
}

function toOperation(document, { path, method, item, operation }) {
  const body = resolved(document, operation.requestBody)
  const servers = [operation.servers, item.servers, document.servers].find(
    (list) => Array.isArray(list) && list.length > 0,
  )
  return {
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    servers: servers ?? [],
    parameters: parametersOf(document, item, operation, toParameter),
    body: body && { required: body.required === true, content: contentOf(document, body.content) },
    responses: responsesOf(document, operation, (response) => ({
      content: contentOf(document, response.content),
      headers: headersOf(document, response),
    })),
    security: securityOf(document, operation, document.components?.securitySchemes),
  }
}

/** The parameters of a path and of its operation, which override those of the path. */
export function parametersOf(document, item, operation, convert) {
  const parameters = new Map()
  for (const list of [item.parameters, operation.parameters]) {
    for (const entry of Array.isArray(list) ? list : []) {
      const parameter = resolved(document, entry)
      if (parameter) parameters.set(`${parameter.in} ${parameter.name}`, parameter)
    }
  }
  return [...parameters.values()].map((parameter) => convert(document, parameter))
}

/** The documented responses by status. */
export function responsesOf(document, operation, convert) {
  const entries = Object.entries(operation.responses)
    .map(([status, entry]) => [status.toUpperCase(), resolved(document, entry)])
    .filter(([status, response]) => isObject(response) && !status.startsWith('X-'))
  return new Map(entries.map(([status, response]) => [status, convert(response)]))
}

/** The alternatives of credentials, each a list of schemes. An empty list: none is required. */
export function securityOf(document, operation, schemes) {
  const alternatives = operation.security ?? document.security ?? []
  return alternatives.map((alternative) =>
    Object.keys(alternative)
      .map((name) => resolved(document, schemes?.[name]))
      .filter(Boolean),
  )
}

function toParameter(document, parameter) {
  const [media] = contentOf(document, parameter.content)
  const style = parameter.style ?? (['query', 'cookie'].includes(parameter.in) ? 'form' : 'simple')
  return {
    name: parameter.name,
    in: parameter.in,
    required: parameter.required === true || parameter.in === 'path',
    style,
    explode: parameter.explode ?? style === 'form',
    isJson: media !== undefined,
    schema: parameter.schema ?? media?.schema,
    examples: [...examplesOf(document, parameter), ...(media?.examples ?? [])],
  }
}

function contentOf(document, content) {
  return Object.entries(resolved(document, content) ?? {}).map(([type, entry]) => {
    const media = resolved(document, entry) ?? {}
    const { schema, encoding = {} } = media
    return { type, schema, encoding, examples: examplesOf(document, media) }
  })
}

function headersOf(document, response) {
  return Object.entries(resolved(document, response.headers) ?? {})
    .map(([name, entry]) => ({ name, ...resolved(document, entry) }))
    .map(({ name, required, schema }) => ({ name, required: required === true, schema }))
    .filter(({ name }) => name.toLowerCase() !== 'content-type')
}

function examplesOf(document, holder) {
  const single = holder.example === undefined ? [] : [holder.example]
  const named = isObject(holder.examples) ? Object.values(holder.examples) : []
  return [
    ...single,
    ...named.flatMap((entry) => {
      const example = resolved(document, entry)
      return isObject(example) && 'value' in example ? [example.value] : []
    }),
  ]
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
