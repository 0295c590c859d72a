import type { Contract, Operation, Parameter, RequestBody } from '../contract/contract.ts'
import { isObject } from '../validation/is-object.ts'
import { getOwn } from '../validation/own-property.ts'
import { type CompileContext, compileResponses, responseHeadersOf } from './compile-responses.ts'
import { deprecationOf } from './deprecation.ts'
import { type Document, followRefs, resolveRef } from './document.ts'
import { createSchemaExpander } from './expand-schema.ts'
import { asArray, asObject, asString, type JsonObject } from './json-value.ts'
import { jsonContent, type OperationEntry, operationIdOf, operationsOf } from './operations.ts'
import { createSchemaCompiler } from './schema-compiler.ts'
import { type DocumentSecurity, readSecurity } from './security.ts'
import { readServiceHints } from './service-hints.ts'

/** Compiles a valid document into a contract. */
export function compileContract(document: Document): Contract {
  const context: CompileContext = {
    document,
    expand: createSchemaExpander(document),
    compileSchema: createSchemaCompiler(),
  }
  const { info, servers } = document.root
  const { title, version } = asObject(info)
  const entries = operationsOf(document)
  const resolve = (value: unknown): unknown => followRefs(document, { value, pointer: [] })?.value
  const security = readSecurity(document.root, resolve)
  const service = readServiceHints(document.root)

  return {
    title: String(title),
    version: String(version),
    basePath: basePathOf(servers),
    operations: entries.map((entry) => compileOperation(entry, context, security)),
    responseHeaders: responseHeadersOf(entries, document),
    securitySchemes: security.schemes,
    ...(service && { sandbox: service.hints }),
  }
}

/** The path of the first server that has one, such as `/v1`; empty when none has. */
function basePathOf(servers: unknown): string {
  const paths = asArray(servers).map(serverPath)

  return paths.find((path) => path !== '') ?? ''
}

function serverPath(server: unknown): string {
  const { url, variables } = asObject(server)
  const filled = (asString(url) ?? '').replaceAll(/\{([^{}]+)\}/g, (_braces, name: string) => {
    const variable = getOwn(asObject(variables), name)

    return isObject(variable) ? String(variable.default) : ''
  })
  // A relative URL is resolved against the address that serves the document. Only its path matters here.
  const address = URL.canParse(filled, 'http://localhost')
    ? new URL(filled, 'http://localhost')
    : undefined

  return address?.pathname.replace(/\/+$/, '') ?? ''
}

function compileOperation(
  entry: OperationEntry,
  context: CompileContext,
  { requirementOf }: DocumentSecurity,
): Operation {
  const { method, template, operation, parameters, pointer } = entry
  const { mistakes: _, ...requirement } = requirementOf(operation, pointer)
  const summary = asString(operation.summary)
  const body = compileBody(operation.requestBody, context)
  const deprecation = deprecationOf(operation)

  return {
    id: operationIdOf(entry),
    method,
    path: template,
    ...(summary !== undefined && { summary }),
    ...requirement,
    parameters: parameters.flatMap(({ parameter }) => compileParameter(parameter, context)),
    ...(body && { body }),
    responses: compileResponses(operation.responses, context),
    ...(deprecation && { deprecation }),
  }
}

function compileParameter(
  parameter: JsonObject,
  { expand, compileSchema }: CompileContext,
): Parameter[] {
  const location = parameter.in
  if (location !== 'path' && location !== 'query') return []
  const schema = expand(parameter.schema ?? {}, 'request')
  const required = location === 'path' || parameter.required === true
  const name = String(parameter.name)

  return [{ name, in: location, required, schema, validate: compileSchema(schema) }]
}

function compileBody(
  value: unknown,
  { document, expand, compileSchema }: CompileContext,
): RequestBody | undefined {
  const { content, required } = resolveRef(document, value)
  const json = jsonContent(content)
  if (!json) return undefined
  const { mediaTypes, media } = json
  const schema = expand(media.schema ?? {}, 'request')

  return { required: required === true, mediaTypes, schema, validate: compileSchema(schema) }
}
