// The operations of a Swagger 2.0 document, in the form of operations.mjs.
import { parametersOf, pathItemsOf, responsesOf, securityOf } from './operations.mjs'
import { resolved } from './references.mjs'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data']
const STYLES = { ssv: 'spaceDelimited', pipes: 'pipeDelimited' }

export function swaggerOperationsOf(document) {
  return pathItemsOf(document).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = resolved(document, item[method])
      return operation?.responses ? [toOperation(document, { path, method, item, operation })] : []
    }),
  )
}

function toOperation(document, { path, method, item, operation }) {
  const all = parametersOf(document, item, operation, (_, parameter) => parameter)
  const consumes = operation.consumes ?? document.consumes ?? []
  const produces = operation.produces ?? document.produces ?? ['*/*']
  return {
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    servers: [{ url: document.basePath ?? '' }],
    parameters: all.filter((one) => !['body', 'formData'].includes(one.in)).map(toParameter),
    body: bodyOf(all, consumes),
    responses: responsesOf(document, operation, (response) => ({
      content: response.schema === undefined ? [] : produces.map((type) => media(type, response)),
      headers: Object.entries(response.headers ?? {}).map(([name, schema]) => ({ name, schema })),
    })),
    security: securityOf(document, operation, document.securityDefinitions).map((schemes) =>
      schemes.map(toScheme),
    ),
  }
}

/** A parameter is its own schema. */
function toParameter(parameter) {
  const { name, required, collectionFormat } = parameter
  const inPath = parameter.in === 'path'
  const style =
    inPath || parameter.in === 'header' ? 'simple' : (STYLES[collectionFormat] ?? 'form')
  return {
    name,
    in: parameter.in,
    required: required === true || inPath,
    style,
    explode: collectionFormat === 'multi',
    isJson: false,
    schema: parameter,
    examples: parameter['x-example'] === undefined ? [] : [parameter['x-example']],
  }
}

function bodyOf(parameters, consumes) {
  const body = parameters.find((one) => one.in === 'body')
  // Without `consumes`, the document does not say how a body is written.
  if (body)
    return { required: body.required === true, content: consumes.map((type) => media(type, body)) }
  const fields = parameters.filter((one) => one.in === 'formData')
  if (fields.length === 0) return undefined

  const hasFile = fields.some((one) => one.type === 'file')
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, toField(field)])),
    required: fields.filter((one) => one.required === true).map((one) => one.name),
  }
  const types = FORMS.filter((form) => consumes.includes(form) && !(hasFile && form === FORMS[0]))
  const content = (types.length > 0 ? types : [hasFile ? FORMS[1] : FORMS[0]]).map((type) =>
    media(type, { schema }),
  )
  return { required: schema.required.length > 0, content }
}

function toField(field) {
  return field.type === 'file' ? { type: 'string', format: 'binary' } : field
}

function media(type, { schema, examples = {} }) {
  return { type, schema, encoding: {}, examples: type in examples ? [examples[type]] : [] }
}

function toScheme(scheme) {
  return scheme.type === 'basic' ? { type: 'http', scheme: 'basic' } : scheme
}
