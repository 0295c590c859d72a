import { isObject } from '../validation/is-object.ts'
import { shortened } from '../validation/usage-error.ts'
import { asObject, type JsonObject } from './json-value.ts'
import { type Mistake, Mistakes, throwMistakes } from './mistake.ts'
import type { Source } from './source.ts'

/** Throws `Mistakes` unless a file is an OpenAPI document of version 3.0 or 3.1 that has paths. */
export function validateVersion(source: Source): void {
  const root = source.value
  if (!isObject(root) || ['openapi', 'swagger', 'swaggerVersion'].every((key) => !(key in root))) {
    const reason = 'the file is not an OpenAPI document'
    const help = 'An OpenAPI document starts with a line such as "openapi: 3.1.1".'
    throw new Mistakes([{ reason, location: source.locate([]), help }])
  }

  throwMistakes([...versionMistakes(root, source), ...apiVersionMistakes(root, source)])
  if (!isObject(root.paths)) {
    const [reason, location] =
      root.paths === undefined
        ? ['the document has no paths', source.locate([])]
        : ['"paths" must be an object', source.locate(['paths'])]
    throw new Mistakes([{ reason, location, help: 'Add at least one path under "paths".' }])
  }
}

function versionMistakes(root: JsonObject, source: Source): Mistake[] {
  const { openapi } = root
  if (openapi === undefined) {
    const key = root.swagger === undefined ? 'swaggerVersion' : 'swagger'
    const reason = `Swagger ${shortened(String(root[key]))} is not supported`
    const help =
      'Convert the document to Swagger 2.0 or OpenAPI 3.1, for example with api-spec-converter.'
    return [{ reason, location: source.locate([key]), help }]
  }
  const location = source.locate(['openapi'])
  if (typeof openapi !== 'string') {
    const help = `Write the full version in quotes, for example '3.1.1'.`
    return [{ reason: '"openapi" must be a string', location, help }]
  }
  if (/^3\.(0\.[0-4]|1\.[0-2])$/.test(openapi)) return []
  const isShort = /^3\.[01]$/.test(openapi)
  const help = isShort ? `Write the full version, for example ${openapi}.1.` : 'Use 3.1.1 or 3.0.4.'

  return [{ reason: `OpenAPI ${shortened(openapi)} is not supported`, location, help }]
}

/** YAML reads `version: 1.0` as a number. */
function apiVersionMistakes(root: JsonObject, source: Source): Mistake[] {
  const { version } = asObject(root.info)
  if (typeof version !== 'number') return []
  const location = source.locate(['info', 'version'])
  const help = `Put it in quotes, for example '1.0.0'.`

  return [{ reason: '"version" must be a string, not a number', location, help }]
}
