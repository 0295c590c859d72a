import { parsePointer } from '../contract/schema.ts'
import { valueAt } from '../resources/behaviour/service-values.ts'
import type { Called } from './cause.ts'

/** A runtime expression in braces (OpenAPI, "Runtime Expressions"). */
const EXPRESSION = /\{(\$[^{}]+)\}/g

/**
 * The address of a callback: a text in which runtime expressions in braces are replaced, or one expression. `undefined` when one of them
 * has no value, so that nothing is sent: a client that names no address wants no callback.
 */
export function callbackAddress(template: string, called: Called): string | undefined {
  let isComplete = true
  const textOf = (expression: string): string => {
    const value = expressionValue(expression, called)
    if (typeof value === 'string' || typeof value === 'number') return String(value)
    isComplete = false
    return ''
  }
  const address = template.startsWith('$')
    ? textOf(template)
    : template.replace(EXPRESSION, (_, expression: string) => textOf(expression))

  return isComplete && address !== '' ? address : undefined
}

function expressionValue(expression: string, called: Called): unknown {
  const { request, response } = called
  if (expression === '$url') return `${request.base}${request.path}${queryOf(request)}`
  if (expression === '$method') return request.method
  if (expression === '$statusCode') return response.status
  const [, side, place = '', rest = ''] = PART.exec(expression) ?? []
  if (side === 'request')
    return place === 'body'
      ? bodyValue(called.input.body, rest)
      : sentValue(place, rest.slice(1), called)
  if (side === undefined) return undefined

  return place === 'body'
    ? bodyValue(parsed(response.body), rest)
    : headerOf(response, rest.slice(1))
}

const PART = /^\$(request|response)\.(header|query|path|body)(.*)$/

function queryOf({ query }: Called['request']): string {
  return query === '' ? '' : `?${query}`
}

/** A value of a request outside of its body: of a header, or of a parameter in the query or the path. */
function sentValue(place: string, name: string, { request, input }: Called): unknown {
  if (place === 'header') return request.header(name.toLowerCase())
  return [input[place === 'query' ? 'query' : 'path'][name]].flat()[0]
}

function headerOf({ headers }: Called['response'], name: string): string | undefined {
  return Object.entries(headers).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1]
}

/** The value at a JSON Pointer after `#`; the whole body without one. */
function bodyValue(body: unknown, fragment: string): unknown {
  return fragment.startsWith('#/') ? valueAt(body, parsePointer(fragment.slice(1))) : body
}

function parsed(body: string | Uint8Array): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body) : undefined
  } catch {
    return undefined
  }
}
