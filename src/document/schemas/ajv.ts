import {
  _,
  type Code,
  type CodeGen,
  type CodeKeywordDefinition,
  type KeywordCxt,
  Name,
  str,
} from 'ajv'
import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import type { RegExpEngine } from 'ajv/dist/types/index.js'
import formats from 'ajv-formats'
import { URL_FORMAT } from '../../contract/schema.ts'
import { LINK } from './write-schema.ts'

/** Whether a string is a regular expression in JavaScript, with or without the `u` flag. */
export function isPattern(text: string): boolean {
  try {
    toRegExp(text, 'u')
    return true
  } catch {
    return false
  }
}

/** JSON Schema requires the `u` flag. Many real patterns, such as `[\w-.]`, are invalid with it. */
export const toRegExp: RegExpEngine = Object.assign(createRegExp, {
  // Ajv writes this into standalone code.
  code: 'new RegExp',
})

function createRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern)
  }
}

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
  ajv.addFormat('url', URL_FORMAT)

  return ajv
}

/**
 * The keyword that calls the function of a shared schema. Its errors are added to those of the calling function one by one: Ajv's own
 * keywords copy all earlier errors for each call, which takes minutes for a list of 50,000 invalid items.
 */
export function linkKeyword(functionOf: (id: number, gen: CodeGen) => Code): CodeKeywordDefinition {
  const path = new Name('instancePath')
  const vErrors = new Name('vErrors')
  return {
    keyword: LINK,
    schemaType: 'number',
    code(context: KeywordCxt): void {
      const { data, gen, it, schema } = context
      const check = functionOf(Number(schema), gen)
      const isValid = _`${check}(${data}, {instancePath: ${str`${path}${it.errorPath}`}})`
      context.result(isValid, undefined, () => {
        gen.if(
          _`${vErrors} === null`,
          () => gen.assign(vErrors, _`${check}.errors`),
          () =>
            gen.forOf('error', _`${check}.errors`, (error) =>
              gen.code(_`${vErrors}.push(${error})`),
            ),
        )
        gen.assign(new Name('errors'), _`${vErrors}.length`)
      })
    },
  }
}
