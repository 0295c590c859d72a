import {
  _,
  type Code,
  type CodeGen,
  type CodeKeywordDefinition,
  type KeywordCxt,
  Name,
  str,
} from 'ajv'
import { LINK } from './write-schema.ts'

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
