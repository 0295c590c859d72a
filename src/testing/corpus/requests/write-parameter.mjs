// Parameters as text, by the styles of OpenAPI.

const SEPARATORS = { spaceDelimited: ' ', pipeDelimited: '|' }

/** The text of a parameter of a path, with its prefix for `label` and `matrix`. */
export function writePathParameter({ name, style, explode, isJson }, value) {
  if (isJson) return encodeURIComponent(JSON.stringify(value))
  if (style === 'matrix') return matrix(name, explode, value)
  const [prefix, separator] = style === 'label' ? ['.', explode ? '.' : ','] : ['', ',']
  return prefix + parts(value, explode).map(encodePath).join(separator)
}

/** The pairs of a query parameter. */
export function writeQueryParameter({ name, style, explode, isJson }, value) {
  if (isJson) return [[name, JSON.stringify(value)]]
  if (!isObject(value)) return [[name, text(value)]]
  if (style === 'deepObject')
    return Object.entries(value).map(([key, one]) => [`${name}[${key}]`, text(one)])
  if (explode)
    return Array.isArray(value)
      ? value.map((one) => [name, text(one)])
      : Object.entries(value).map(([key, one]) => [key, text(one)])
  return [[name, parts(value, false).join(SEPARATORS[style] ?? ',')]]
}

/** The text of a header or a cookie. */
export function writeSimpleParameter({ explode, isJson }, value) {
  return encodeURI(isJson ? JSON.stringify(value) : parts(value, explode).join(','))
}

/** A query, with the separators of lists left as they are. */
export function writeQuery(pairs) {
  const encode = (part) => encodeURIComponent(part).replaceAll('%2C', ',')
  return pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
}

function matrix(name, explode, value) {
  if (!isObject(value)) return `;${name}=${encodePath(text(value))}`
  if (!explode) return `;${name}=${parts(value, false).map(encodePath).join(',')}`
  const entries = Array.isArray(value) ? value.map((one) => [name, one]) : Object.entries(value)
  return entries.map(([key, one]) => `;${key}=${encodePath(text(one))}`).join('')
}

function parts(value, explode) {
  if (Array.isArray(value)) return value.map(text)
  if (!isObject(value)) return [text(value)]
  return Object.entries(value).flatMap(([key, one]) =>
    explode ? [`${key}=${text(one)}`] : [key, text(one)],
  )
}

function encodePath(part) {
  return encodeURIComponent(part).replaceAll('%3D', '=')
}

function text(value) {
  return isObject(value) ? JSON.stringify(value) : String(value)
}

function isObject(value) {
  return typeof value === 'object' && value !== null
}
