import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { toRegExp } from './regular-expression.ts'

const INHERITED_NAME = new RegExp(`"(?:${Object.getOwnPropertyNames(Object.prototype).join('|')})"`)

/**
 * Whether a schema, as JSON, may have a property with a name that every object inherits, such as "constructor". Ajv's option
 * `ownProperties` handles these names, but makes validation two and a half times as slow.
 */
export function hasInheritedName(schema: string): boolean {
  return INHERITED_NAME.test(schema)
}

/** Ajv as contracts use it: it reports every error, and ignores unknown keywords and formats. */
export function createAjv({ code, ...options }: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    // 8.2 is a multiple of 0.01, but not as binary fractions.
    multipleOfPrecision: 9,
    allErrors: true,
    strict: false,
    logger: false,
    // Loading the document has checked the keywords already.
    validateSchema: false,
    code: { regExp: toRegExp, ...code },
    ...options,
  })
  formats.default(ajv)
  // The parser checks exactness: it sees the digits, which a number has lost.
  ajv.addFormat('int64', true)
  ajv.addFormat('regex', true)
  // Many services take base64 without its padding, and the alphabet for URLs.
  ajv.addFormat('byte', /^[\w+/-]*={0,2}$/)

  return ajv
}
