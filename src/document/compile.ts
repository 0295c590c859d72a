import type {
  Contract,
  Operation,
  OperationResponse,
  Parameter,
  RequestBody,
  ResponseHeader,
  Schema,
  SchemaValidator,
} from '../contract/contract.ts'
import { getOwn } from '../validation/own-property.ts'
import { createChecker } from './checks.ts'
import { type Document, resolve } from './document.ts'
import { createExpand, type Expand } from './expand-schema.ts'
import { isForced } from './hints.ts'
import { isNode, listOf, type Node, nodeOf, textOf } from './node.ts'
import { deprecationOf, type Entry, idOf, jsonContent, operationsOf } from './operations.ts'

/** What compiling an operation takes. */
interface Tools {
  readonly document: Document
  readonly expand: Expand
  readonly checkOf: (schema: Schema) => SchemaValidator
}

/** Makes a contract of a document that was found to be in order. */
export function compile(document: Document): Contract {
  const tools: Tools = {
    document,
    expand: createExpand(document),
    checkOf: createChecker(),
  }
  const { info, servers } = document.root
  const { title, version } = nodeOf(info)
  const entries = operationsOf(document)

  return {
    title: String(title),
    version: String(version),
    basePath: basePathOf(servers),
    operations: entries.map((entry) => operationOf(entry, tools)),
    responseHeaders: responseHeadersOf(entries, document),
  }
}

/** What HTTP takes for the name of a header (RFC 9110, section 5.1). */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/

/** The names of the headers that any response declares, ranges and `default` included. Letter case makes no second one. */
function responseHeadersOf(entries: readonly Entry[], document: Document): readonly string[] {
  const responses = entries.flatMap(({ operation }) => Object.values(nodeOf(operation.responses)))
  const names = responses
    .flatMap((response) => Object.keys(nodeOf(resolve(document, response).headers)))
    .filter((name) => HEADER_NAME.test(name))

  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()]
}

/** The path of the first server that has one, as `/v1`; empty when none has. */
function basePathOf(servers: unknown): string {
  const paths = listOf(servers).map(serverPath)

  return paths.find((path) => path !== '') ?? ''
}

function serverPath(server: unknown): string {
  const { url, variables } = nodeOf(server)
  const filled = (textOf(url) ?? '').replaceAll(/\{([^{}]+)\}/g, (_braces, name: string) => {
    const variable = getOwn(nodeOf(variables), name)

    return isNode(variable) ? String(variable.default) : ''
  })
  // A relative address stands for one below the host that serves the document.
  const address = URL.canParse(filled, 'http://localhost')
    ? new URL(filled, 'http://localhost')
    : undefined

  return address?.pathname.replace(/\/+$/, '') ?? ''
}

function operationOf(entry: Entry, tools: Tools): Operation {
  const { method, template, operation, parameters } = entry
  const summary = textOf(operation.summary)
  const body = bodyOf(operation.requestBody, tools)
  const deprecation = deprecationOf(operation)

  return {
    id: idOf(entry),
    method,
    path: template,
    ...(summary !== undefined && { summary }),
    secured: isSecured(operation.security ?? tools.document.root.security),
    parameters: parameters.flatMap(({ node }) => parameterOf(node, tools)),
    ...(body && { body }),
    responses: responsesOf(operation.responses, tools),
    ...(deprecation && { deprecation }),
  }
}

/** An empty requirement, `{}`, lets callers in without a key. */
function isSecured(security: unknown): boolean {
  const requirements = listOf(security)

  return requirements.length > 0 && requirements.every((one) => Object.keys(nodeOf(one)).length > 0)
}

function parameterOf(node: Node, { expand, checkOf }: Tools): Parameter[] {
  const place = node.in
  if (place !== 'path' && place !== 'query') return []
  const schema = expand(node.schema ?? {}, 'request')
  const required = place === 'path' || node.required === true

  return [{ name: String(node.name), in: place, required, schema, validate: checkOf(schema) }]
}

function bodyOf(value: unknown, { document, expand, checkOf }: Tools): RequestBody | undefined {
  const { content, required } = resolve(document, value)
  const json = jsonContent(content)
  if (!json) return undefined
  const schema = expand(json.media.schema ?? {}, 'request')

  return { required: required === true, mediaTypes: json.types, schema, validate: checkOf(schema) }
}

function responsesOf(responses: unknown, tools: Tools): OperationResponse[] {
  return Object.entries(nodeOf(responses))
    .filter(([status]) => /^[1-5]\d\d$/.test(status))
    .map(([status, value]) => [Number(status), resolve(tools.document, value)] as const)
    .filter(([, node]) => !isForced(node))
    .map(([status, node]) => responseOf(status, node, tools))
    .sort((one, other) => one.status - other.status)
}

function responseOf(status: number, node: Node, tools: Tools): OperationResponse {
  const { document, expand, checkOf } = tools
  const media = jsonContent(node.content)?.media
  const headers = headersOf(node.headers, tools)
  const bare = { status, ...(headers.length > 0 && { headers }), ...decisionOf(node) }
  if (!media) return bare
  const example = exampleOf(media, document)
  const schema = media.schema === undefined ? undefined : expand(media.schema, 'response')

  return {
    ...bare,
    ...(schema && { schema, validate: checkOf(schema) }),
    ...(example !== undefined && { example }),
    ...(media['x-decision'] !== undefined && { bodyDecision: true }),
  }
}

function headersOf(headers: unknown, { document, expand, checkOf }: Tools): ResponseHeader[] {
  return Object.entries(nodeOf(headers)).map(([name, value]) => {
    const node = resolve(document, value)
    const schema = expand(node.schema ?? {}, 'response')

    return {
      name,
      required: node.required === true,
      schema,
      validate: checkOf(schema),
      ...decisionOf(node),
    }
  })
}

/** Where the service's specification is silent, a document may say that it decides. */
function decisionOf(node: Node): { readonly decision?: true } {
  return node['x-decision'] === undefined ? {} : { decision: true }
}

function exampleOf(media: Node, document: Document): unknown {
  if (media.example !== undefined) return media.example
  const [first] = Object.values(nodeOf(media.examples))
  const named = resolve(document, first).value
  if (named !== undefined) return named
  const schema = resolve(document, media.schema)

  return schema.example ?? listOf(schema.examples)[0] ?? schema.default
}
