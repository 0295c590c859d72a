import type { SecuredOperation, SecurityScheme } from '../access/security-scheme.ts'
import type {
  Callback,
  Contract,
  ContractReports,
  MediaType,
  Operation,
  Parameter,
  RequestBody,
  Schema,
  SentRequest,
} from '../contract/contract.ts'
import { EVENT_STREAM } from '../contract/event-stream.ts'
import type { ContractResource, OperationHints } from '../contract/hints.ts'
import { hasSimpleInput } from '../contract/read.ts'
import { escapeKey } from '../contract/schema.ts'
import { aliasLinksOf } from '../inference/alias-links.ts'
import {
  applyHints,
  countersOf,
  type GivenHints,
  givenAliases,
  type Inference,
  operationsElsewhere,
} from '../inference/apply-hints.ts'
import { isCallerPath, mayBeCallerOf, type StatedCallers } from '../inference/callers.ts'
import { isFilePath } from '../inference/file-content.ts'
import { groupByPath, groupByTemplate, operationsWith } from '../inference/groups.ts'
import { createIdExamples } from '../inference/id-examples.ts'
import { type DocumentWords, inferHints } from '../inference/infer-hints.ts'
import { isMarkPath, mayMark } from '../inference/marks.ts'
import type { Describe } from '../inference/message-hints.ts'
import { shapeOf } from '../inference/path-shape.ts'
import { resolveResource } from '../inference/resolve-resource.ts'
import { mayBeSubscriptions } from '../inference/subscriptions.ts'
import { mayHaveTrash } from '../inference/trash.ts'
import { type CompileContext, compileContent, exampleOf, readStyle } from './compile-content.ts'
import {
  compileOtherResponses,
  compileResponses,
  givenQuotaHeaders,
  quotaHeadersOf,
  responseHeadersOf,
} from './compile-responses.ts'
import { type Document, followRefs, resolveRef } from './document.ts'
import { readGivenHints, readServiceHints } from './hints/read-hints.ts'
import { asObject, asString, type JsonObject } from './json-value.ts'
import type { LoadOptions } from './load-options.ts'
import {
  deprecationOf,
  isCallbackAddress,
  mediaTypeOf,
  methodsOf,
  type OperationEntry,
  operationIdsOf,
  operationsOf,
  parsePathKey,
} from './operations.ts'
import { createSchemaCompiler } from './schemas/schema-compiler.ts'
import { createSchemaGraph } from './schemas/schema-graph.ts'
import type { SchemaMistake } from './schemas/schema-mistake.ts'
import { type DocumentSecurity, readSecurity } from './security.ts'
import { basePathsOf } from './servers.ts'
import { readSignIn, signInRolesOf } from './sign-in.ts'

/**
 * Compiles a document into a contract. Only what routes need is read at once. The parameters, bodies and responses of an operation
 * are compiled when they are first read, and their schemas are shared between operations.
 */
export function compileContract(
  document: Document,
  report: (mistake: SchemaMistake) => void = () => undefined,
  reports: ContractReports = {},
  { inference: isInferred }: Pick<LoadOptions, 'inference'> = {},
): Contract {
  const graph = createSchemaGraph(document, report)
  const context: CompileContext = {
    document,
    schemaOf: graph.schemaOf,
    compileSchema: createSchemaCompiler(undefined, graph.isShared),
  }
  const { info, servers, webhooks } = document.root
  const { title, version } = asObject(info)
  const entries = operationsOf(document)
  const ids = operationIdsOf(entries)
  const resolve = (value: unknown): unknown => followRefs(document, { value, pointer: [] })?.value
  const security = readSecurity(document.root, resolve)
  const service = readServiceHints(document.root)
  const basePaths = basePathsOf(servers)
  const roleOf = signInRolesOf(document.root, resolve)
  const operations: readonly Operation[] = entries.map((entry, index) =>
    compileOperation(entry, ids[index] ?? '', context, { security, roleOf }, (one) =>
      inference().of(one),
    ),
  )
  const given = once(() => readGivenHints(document, isInferred).hints)
  const inference = once(() => {
    const words = wordsIn(entries, operations, document)
    const callers = statedCallers(given())
    const inferred = inferHints(operations, words, givenAliases(given()), callers)
    return applyHints(inferred, given(), operations)
  })
  const signIn = readSignIn(document.root, resolve, { operations, basePaths })
  const contract = {
    title: String(title ?? 'API'),
    version: String(version ?? ''),
    basePath: basePaths[0],
    ...(basePaths.length > 1 && { basePaths }),
    operations,
    securitySchemes: security.schemes,
    ...(signIn && { signIn }),
    ...reports,
    ...(service && { sandbox: service.hints }),
  }

  return withLazy(contract, {
    ...(webhooks !== undefined && { webhooks: () => compileWebhooks(webhooks, context) }),
    resources: () =>
      resourcesOf(inference(), operations, given(), {
        schemaOf: graph.schemaOf,
        nameOf: graph.nameOf,
      }),
    resourcePaths: () => Object.fromEntries(inference().paths),
    subscriptions: () => subscriptionsIn(inference(), given()),
    hasTrash: () => hasTrash(operations, given()),
    streamsChanges: () =>
      streamsChanges(operations.filter((_, at) => mayStream(entries[at], document))),
    responseHeaders: () => responseHeadersOf(entries, document),
    quotaHeaders: () => givenQuotaHeaders(service?.hints) ?? quotaHeadersOf(entries, document),
  })
}

/** The names of the resources whose records are subscriptions. Few paths may be theirs, so that few schemas are read. */
function subscriptionsIn({ paths, resource }: Inference, given: GivenHints): readonly string[] {
  return [...paths].flatMap(([name, path]) => {
    const isPossible = mayBeSubscriptions(path) || given.paths.get(path)?.subscription
    return isPossible && resource(name)?.subscription ? name : []
  })
}

/** Whether operations put records in a trash. Few paths may be theirs, so that few schemas are read. */
function hasTrash(operations: readonly Operation[], given: GivenHints): boolean {
  const said = operations.filter(({ id }) => given.operations.get(id)?.trash)
  return [...said, ...mayHaveTrash(operations)].some(({ hints }) => hints?.trash)
}

function streamsChanges(operations: readonly Operation[]): boolean {
  return operations.some(({ hints }) => hints?.streams !== undefined)
}

/** Whether an operation has responses of server-sent events. Few have, so that few schemas are read. */
function mayStream(entry: OperationEntry | undefined, document: Document): boolean {
  if (entry?.method !== 'GET') return false
  const responses = Object.values(resolveRef(document, entry.operation.responses))
  return responses.some((response) => {
    const { content } = resolveRef(document, response)
    return Object.keys(resolveRef(document, content)).some(
      (key) => mediaTypeOf(key) === EVENT_STREAM,
    )
  })
}

/** The paths of which hints say whether they lead to the record of the caller. */
function statedCallers({ paths }: GivenHints): StatedCallers {
  return new Map(
    [...paths].flatMap(([path, { caller }]) =>
      caller === undefined ? [] : [[path, caller] as const],
    ),
  )
}

/** What the document says of operations, their parameters and their responses in words, and of ids, which the contract does not contain. */
function wordsIn(
  entries: readonly OperationEntry[],
  operations: readonly Operation[],
  document: Document,
): DocumentWords {
  const byOperation = new Map(operations.map((one, index) => [one, entries[index]] as const))
  const describe: Describe = (operation, part) => {
    const entry = byOperation.get(operation)
    if (typeof part === 'number') {
      const responses = resolveRef(document, entry?.operation.responses)
      return asString(resolveRef(document, responses[part]).description) ?? ''
    }
    if (part === undefined)
      return [entry?.operation.summary, entry?.operation.description].filter(Boolean).join('. ')
    const named = entry?.parameters.filter(({ parameter }) => parameter.name === part) ?? []
    const found = ['query', 'path'].flatMap(
      (place) => named.find(({ parameter }) => parameter.in === place) ?? [],
    )[0]
    const ofSchema = resolveRef(document, found?.parameter.schema).description
    return [found?.parameter.description, ofSchema].flatMap((text) => asString(text) ?? [])[0] ?? ''
  }
  return { describe, idExampleOf: createIdExamples(document.root) }
}

/** The schemas of a document, and their names. */
interface NamedSchemas extends Pick<CompileContext, 'schemaOf'> {
  readonly nameOf: (schema: Schema) => string | undefined
}

function resourcesOf(
  inference: Inference,
  operations: readonly Operation[],
  given: GivenHints,
  { schemaOf, nameOf }: NamedSchemas,
): NonNullable<Contract['resources']> {
  const near = groupByPath(operations)
  const stated = statedCallers(given)
  const ofCaller = operations.filter(
    ({ id, path }) => isCallerPath(path) || stated.has(path) || given.operations.get(id)?.caller,
  )
  const marking = operations.filter(({ path }) => isMarkPath(path))
  // What an operation does is found out by the schemas of others, which takes long in a large document.
  const isSaid = ({ id, path }: Operation): boolean => stated.has(path) || given.operations.has(id)
  const mayKeep = ({ id, path }: Operation): boolean => {
    const { content, mark, trash } = given.operations.get(id) ?? {}
    return isFilePath(path) || Boolean(content || mark || trash)
  }
  const byTemplate = once(() => groupByTemplate(operations))
  const countedIn = countersOf(inference)
  const linksOf = aliasLinksOf(inference, operations)
  const lazy = [...inference.paths.keys()].map((name) => {
    const resolve = (): ContractResource | undefined => {
      const hints = inference.resource(name)
      if (!hints) return undefined
      const withId = hints.item === undefined ? [] : operationsWith(hints.item, byTemplate())
      const counted = countedIn(hints.path)
      // The path of a record may have another word than its list.
      const { stem = hints.path } = shapeOf(hints.item ?? '')
      const paths = [...new Set([hints.path, stem]), ...Object.keys(hints.aliases ?? {})]
      const own = new Set([
        ...paths.flatMap((path) => near.get(path) ?? []),
        ...ofCaller.filter((one) => isSaid(one) || mayBeCallerOf(one.path, hints.path)),
        ...marking.filter((one) => isSaid(one) || mayMark(one.path, paths)),
        ...operationsElsewhere(hints, operations, given),
      ])
      const named = hints.schemaName
      const described =
        named === undefined
          ? undefined
          : schemaOf({ $ref: `#/components/schemas/${escapeKey(named)}` }, 'response')
      const resource = resolveResource(hints, [...own], withId, described)
      const { readBelow, ...links } = linksOf(hints)
      const schemaName = nameOf(resource.schema)
      const keeping = withId.flatMap((one) => (mayKeep(one) && !own.has(one) ? one.id : []))
      const eager = {
        ...resource,
        ...(keeping.length > 0 && { keepingOperations: keeping }),
        ...(schemaName !== undefined && { schemaName }),
        ...(counted && { counted }),
        ...links,
      }
      return withLazy<typeof eager, Pick<ContractResource, 'below'>>(eager, { below: readBelow })
    }
    return [name, resolve] as const
  })
  return withLazy({}, Object.fromEntries(lazy))
}

function compileOperation(
  entry: OperationEntry,
  id: string,
  context: CompileContext,
  {
    security: { requirementOf, schemes },
    roleOf,
  }: { readonly security: DocumentSecurity; readonly roleOf: ReturnType<typeof signInRolesOf> },
  hintsOf: (operation: Operation) => OperationHints,
): Operation {
  const { method, template, operation, pointer, servers } = entry
  const { mistakes: _, ...requirement } = requirementOf(operation, pointer)
  const key = parsePathKey(template)
  const summary = asString(operation.summary)
  const tags = [operation.tags ?? []].flat().flatMap((tag) => (typeof tag === 'string' ? tag : []))
  const deprecation = deprecationOf(operation, context.document.root)
  const signIn = roleOf(method, key.template)
  const eager = {
    id,
    method,
    path: key.template,
    ...(key.conditions.length > 0 && { conditions: key.conditions }),
    ...(summary !== undefined && { summary }),
    ...(tags.length > 0 && { tags }),
    ...requirement,
    ...(signIn && { signIn }),
    ...(servers !== undefined && { basePaths: basePathsOf(servers) }),
  }
  const lazy: Operation = withLazy<
    typeof eager,
    Pick<Operation, 'parameters' | 'hasSimpleInput' | 'responses' | 'otherResponses' | 'hints'>
  >(eager, {
    parameters: () =>
      entry.parameters.flatMap(({ parameter }) =>
        isCredential(parameter, requirement, schemes) ? [] : compileParameter(parameter, context),
      ),
    hasSimpleInput: () => hasSimpleInput(lazy),
    ...(operation.requestBody !== undefined && {
      body: () => compileBody(operation.requestBody, context),
    }),
    ...(operation.callbacks !== undefined && {
      callbacks: () => compileCallbacks(operation.callbacks, context),
    }),
    responses: () => compileResponses(operation.responses, context),
    otherResponses: () => compileOtherResponses(operation.responses, context),
    hints: () => hintsOf(lazy),
  })

  return deprecation ? Object.assign(lazy, { deprecation }) : lazy
}

/** Whether a parameter is the credential of a security scheme: documents often describe it twice, and only the scheme says what it is. */
function isCredential(
  { in: place, name }: JsonObject,
  { secured, security }: SecuredOperation,
  schemes: readonly SecurityScheme[],
): boolean {
  const needed = security?.flat()
  const own = secured ? schemes.filter((one) => needed?.includes(one.name) ?? true) : []
  const text = String(name).toLowerCase()

  return own.some((one) => {
    if (!('parameter' in one) || one.type !== place) return false
    return one.type === 'header' ? one.parameter.toLowerCase() === text : one.parameter === name
  })
}

function compileParameter(parameter: JsonObject, context: CompileContext): Parameter[] {
  const { document, schemaOf, compileSchema } = context
  const location = parameter.in
  if (!isLocation(location)) return []
  const style = readStyle(parameter, location)
  const media =
    style.mediaType === undefined
      ? parameter
      : resolveRef(document, asObject(parameter.content)[style.mediaType])
  const schema = schemaOf(media.schema ?? {}, 'request')
  const required = location === 'path' || parameter.required === true
  const example = exampleOf(parameter, document) ?? exampleOf(media, document)

  return [
    {
      name: String(parameter.name),
      in: location,
      required,
      schema,
      validate: compileSchema(schema),
      ...style,
      ...(parameter.allowEmptyValue === true && { allowEmptyValue: true as const }),
      ...(example !== undefined && { example }),
    },
  ]
}

function isLocation(location: unknown): location is Parameter['in'] {
  return ['path', 'query', 'querystring', 'header', 'cookie'].some((known) => known === location)
}

function compileBody(value: unknown, context: CompileContext): RequestBody | undefined {
  const { document, schemaOf, compileSchema } = context
  const { content: source, required } = resolveRef(document, value)
  const content = compileContent(source, 'request', context).flatMap(asSent)
  const [first] = content
  if (!first) return undefined
  // Without a media type, nobody can send the body as documented.
  const isSendable = Object.keys(resolveRef(document, source)).some((key) => key.trim() !== '')
  const schema = first.schema ?? schemaOf({}, 'request')
  const [example = schema.default] = (first.examples ?? []).map((one) => one.value)

  return {
    required: required === true && isSendable,
    mediaTypes: [...new Set(content.map(({ mediaType }) => mediaType))],
    schema,
    validate: first.validate ?? compileSchema(schema),
    content,
    ...(example !== undefined && { example }),
  }
}

/** The content of a body by the media types that clients send: documents call forms `application/form-data`, and some name no type. */
function asSent(content: MediaType): readonly MediaType[] {
  if (content.mediaType === '') return [{ ...content, mediaType: '*/*' }]
  const forms = content.mediaType === 'application/form-data' ? FORMS : []

  return [...forms.map((mediaType) => ({ ...content, mediaType })), content]
}

const FORMS = ['multipart/form-data', 'application/x-www-form-urlencoded']

/**
 * An object whose further properties are computed when they are read for the first time. They are enumerable. A copy of the
 * property descriptors shares the computed values.
 */
function withLazy<Base extends object, Lazy extends object>(
  base: Base,
  lazy: { readonly [Name in keyof Lazy]: () => Lazy[Name] },
): Base & Lazy {
  const object: object = { ...base }
  for (const [name, compute] of Object.entries<() => unknown>(lazy)) {
    Object.defineProperty(object, name, {
      configurable: true,
      enumerable: true,
      get: once(compute),
    })
  }
  return object as Base & Lazy
}

/** A function that computes its value once. */
function once<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined
  return () => {
    computed ??= { value: compute() }
    return computed.value
  }
}

/** The requests in the `webhooks` of a document (OpenAPI 3.1). */
function compileWebhooks(webhooks: unknown, context: CompileContext): readonly SentRequest[] {
  return Object.entries(asObject(webhooks)).flatMap(([name, item]) =>
    requestsIn(name, item, context),
  )
}

/** The requests in the `callbacks` of an operation, by the runtime expressions that lead to their addresses. */
function compileCallbacks(callbacks: unknown, context: CompileContext): readonly Callback[] {
  const { document } = context
  return Object.entries(resolveRef(document, callbacks)).flatMap(([name, callback]) =>
    Object.entries(resolveRef(document, callback))
      .filter(([url]) => isCallbackAddress(url))
      .flatMap(([url, item]) =>
        requestsIn(name, item, context).map((request) => ({ ...request, url })),
      ),
  )
}

/** The requests of a path item. What the service sends contains what is read-only, as its responses do. */
function requestsIn(name: string, item: unknown, context: CompileContext): readonly SentRequest[] {
  const { document } = context
  return methodsOf(resolveRef(document, item)).map(({ method, operation }) => {
    const { requestBody } = resolveRef(document, operation)
    const { content: source } = resolveRef(document, requestBody)
    const content = source === undefined ? [] : compileContent(source, 'response', context)
    return { name, method, ...(content.length > 0 && { content }) }
  })
}
