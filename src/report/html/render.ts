import type { ComponentChildren } from 'preact'
import { escapeXml } from '../format.ts'

/** Elements that have no end tag in HTML. */
const VOID: ReadonlySet<string> = new Set(['br'])

/** Elements of Preact as the text of an HTML page, for components without state. */
export function renderToText(children: ComponentChildren): string {
  if (Array.isArray(children)) return children.map(renderToText).join('')
  if (typeof children !== 'object' || children === null) {
    const isNothing = children === undefined || children === null || typeof children === 'boolean'
    return isNothing ? '' : escapeXml(String(children))
  }
  const { type, props }: { readonly type?: unknown; readonly props?: object } = children
  if (typeof type === 'function') return renderToText(Reflect.apply(type, undefined, [props]))
  const { children: inner, ...attributes } = Object(props)
  const tag = `${type}${Object.entries(attributes).map(attributeText).join('')}`

  return VOID.has(String(type)) ? `<${tag}>` : `<${tag}>${renderToText(inner)}</${type}>`
}

function attributeText([name, value]: readonly [string, unknown]): string {
  return value === undefined || value === false || value === ''
    ? ''
    : ` ${name}="${escapeXml(String(value))}"`
}
