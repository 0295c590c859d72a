import type { Contract, Operation, Parameter, RequestBody } from '../../contract/contract.ts'
import type { ContractReports } from '../../contract/contract-reports.ts'
import { hasSimpleInput } from '../../contract/simple-input.ts'
import { basePathsOf } from '../base-paths.ts'
import { deprecationOf } from '../deprecation.ts'
import { type Document, followRefs, resolveRef } from '../document.ts'
import { asObject, asString, type JsonObject } from '../json-value.ts'
import { type OperationEntry, operationIdsOf, operationsOf } from '../operations.ts'
import { parsePathKey } from '../path-key.ts'
import { createSchemaCompiler } from '../schemas/schema-compiler.ts'
import { createSchemaGraph } from '../schemas/schema-graph.ts'
import type { SchemaMistake } from '../schemas/schema-mistake.ts'
import { type DocumentSecurity, readSecurity } from '../security.ts'
import { readServiceHints } from '../service-hints.ts'
import { compileContent, exampleOf } from './compile-content.ts'
import type { CompileContext } from './compile-context.ts'
import { compileOtherResponses, compileResponses, responseHeadersOf } from './compile-responses.ts'
import { withLazy } from './lazy-property.ts'
import { readStyle } from './parameter-style.ts'
import { quotaHeadersOf } from './quota-headers.ts'

/**
 * Compiles a document into a contract. Only what routes need is read at once. The parameters, bodies and responses of an operation
 * are compiled when they are first read, and their schemas are shared between operations.
 */
export function compileContract(
  document: Document,
  report: (mistake: SchemaMistake) => void = () => undefined,
  reports: ContractReports = {},
): Contract {
  const graph = createSchemaGraph(document, report)
  const context: CompileContext = {
    document,
    schemaOf: graph.schemaOf,
    compileSchema: createSchemaCompiler(undefined, graph.isShared),
  }
  const { info, servers } = document.root
  const { title, version } = asObject(info)
  const entries = operationsOf(document)
  const ids = operationIdsOf(entries)
  const resolve = (value: unknown): unknown => followRefs(document, { value, pointer: [] })?.value
  const security = readSecurity(document.root, resolve)
  const service = readServiceHints(document.root)
  const basePaths = basePathsOf(servers)
  const contract = {
    title: String(title ?? 'API'),
    version: String(version ?? ''),
    basePath: basePaths[0],
    ...(basePaths.length > 1 && { basePaths }),
    operations: entries.map((entry, index) =>
      compileOperation(entry, ids[index] ?? '', context, security),
    ),
    securitySchemes: security.schemes,
    ...reports,
    ...(service && { sandbox: service.hints }),
  }

  return withLazy(contract, {
    responseHeaders: () => responseHeadersOf(entries, document),
    quotaHeaders: () => quotaHeadersOf(entries, document),
  })
}

function compileOperation(
  entry: OperationEntry,
  id: string,
  context: CompileContext,
  { requirementOf }: DocumentSecurity,
): Operation {
  const { method, template, operation, parameters, pointer, servers } = entry
  const { mistakes: _, ...requirement } = requirementOf(operation, pointer)
  const key = parsePathKey(template)
  const summary = asString(operation.summary)
  const deprecation = deprecationOf(operation)
  const eager = {
    id,
    method,
    path: key.template,
    ...(key.conditions.length > 0 && { conditions: key.conditions }),
    ...(summary !== undefined && { summary }),
    ...requirement,
    ...(servers !== undefined && { basePaths: basePathsOf(servers) }),
  }
  const lazy: Operation = withLazy<
    typeof eager,
    Pick<Operation, 'parameters' | 'hasSimpleInput' | 'responses' | 'otherResponses'>
  >(eager, {
    parameters: () => parameters.flatMap(({ parameter }) => compileParameter(parameter, context)),
    hasSimpleInput: () => hasSimpleInput(lazy),
    ...(operation.requestBody !== undefined && {
      body: () => compileBody(operation.requestBody, context),
    }),
    responses: () => compileResponses(operation.responses, context),
    otherResponses: () => compileOtherResponses(operation.responses, context),
  })

  return deprecation ? Object.assign(lazy, { deprecation }) : lazy
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
  const content = compileContent(source, 'request', context)
  const [first] = content
  if (!first) return undefined
  const schema = first.schema ?? schemaOf({}, 'request')
  const [example = schema.default] = (first.examples ?? []).map((one) => one.value)

  return {
    required: required === true,
    mediaTypes: [...new Set(content.map(({ mediaType }) => mediaType))],
    schema,
    validate: first.validate ?? compileSchema(schema),
    content,
    ...(example !== undefined && { example }),
  }
}
