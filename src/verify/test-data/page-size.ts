import type { Operation } from '../../contract/contract.ts'
import { keyword } from './schema-keywords.ts'

/** The limits of the parameter for the page size. */
export interface PageSize {
  readonly maximum: number | undefined
  readonly default: number | undefined
}

/** The page size of a list; `undefined` when it has no parameter for it. */
export function pageSizeOf(list: Operation): PageSize | undefined {
  const parameter = list.parameters.find((one) => one.in === 'query' && one.name === 'limit')
  if (!parameter) return undefined
  const { schema } = parameter
  const preset = typeof schema.default === 'number' ? schema.default : undefined

  return { maximum: keyword(schema, 'maximum'), default: preset }
}

/** The longest page as part of a query. */
export function longestPage(list: Operation): [name: string, value: string][] {
  const maximum = pageSizeOf(list)?.maximum
  return maximum === undefined ? [] : [['limit', String(maximum)]]
}
