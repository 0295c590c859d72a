// References inside a document.

/** More than this many references in a row are a cycle. */
const MAX_REFERENCES = 20

/** The value that a JSON pointer such as `#/components/schemas/Book` names, or `undefined`. */
export function valueAt(document, pointer) {
  if (!pointer.startsWith('#/')) return pointer === '#' ? document : undefined
  let value = document
  for (const token of pointer.slice(2).split('/')) {
    if (typeof value !== 'object' || value === null) return undefined
    const name = decode(token).replaceAll('~1', '/').replaceAll('~0', '~')
    value = Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value
}

/** What is at the end of a chain of references; `undefined` when one of them leads nowhere. */
export function resolved(document, value) {
  let target = value
  for (let count = 0; isReference(target); count += 1) {
    if (count === MAX_REFERENCES) return undefined
    target = valueAt(document, target.$ref)
  }
  return target ?? undefined
}

function isReference(value) {
  return typeof value?.$ref === 'string'
}

function decode(token) {
  try {
    return decodeURIComponent(token)
  } catch {
    return token
  }
}
