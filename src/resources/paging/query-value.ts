import type { Input } from '../../contract/input.ts'
import type { CoreRequest } from '../../http/message.ts'
import { getOwn, isObject } from '../../validation/objects.ts'

/** The value of a query parameter by its name. `filter[name]` may be a property of the parameter `filter`. */
export function queryValue(query: Input['query'], name: string): unknown {
  if (Object.hasOwn(query, name)) return query[name]
  if (!name.includes('[')) return undefined
  const [, group = '', key = ''] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name) ?? []
  const values = getOwn(query, group)

  return isObject(values) ? getOwn(values, key) : undefined
}

/** Whether a request has a query parameter, so that its value is no default. */
export function isSent({ query }: Pick<CoreRequest, 'query'>, name: string): boolean {
  if (query === '') return false
  const names = [...new URLSearchParams(query).keys()]
  return names.some((sent) => sent === name || sent.startsWith(`${name}[`))
}
