// Bodies of requests, as they are sent.

const BOUNDARY = 'corpus-boundary'
const PREFERRED = [
  /^application\/json\b/i,
  /[+/]json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
  /^\*\/\*$/,
  /^text\//i,
]

/** The media type of a body that is sent: JSON, else a form, else text, else the first one. */
export function chosenMedia(content) {
  const preferred = PREFERRED.map((pattern) => content.find(({ type }) => pattern.test(type)))
  return preferred.find(Boolean) ?? content[0]
}

/** `{ type, body }`, or `undefined` when a value cannot be written in this media type. */
export function writeBody(media, value) {
  const type = media.type === '*/*' ? 'application/json' : media.type
  if (/[+/]json\b/i.test(type)) return { type, body: JSON.stringify(value) }
  if (/form-urlencoded/i.test(type)) return isForm(value) && urlEncoded(type, media, value)
  if (/^multipart\//i.test(type)) return isForm(value) && multipart(type, media, value)
  if (typeof value === 'string') return { type: concrete(type), body: value }
  return undefined
}

function urlEncoded(type, { encoding }, value) {
  const pairs = new URLSearchParams()
  for (const [name, field] of Object.entries(value)) {
    if (Array.isArray(field)) for (const one of field) pairs.append(name, text(one))
    else if (isForm(field) && encoding[name]?.style === 'deepObject')
      for (const [key, one] of Object.entries(field)) pairs.append(`${name}[${key}]`, text(one))
    else pairs.append(name, text(field))
  }
  return { type, body: pairs.toString() }
}

function multipart(type, { schema }, value) {
  const sections = Object.entries(value).flatMap(([name, field]) =>
    (Array.isArray(field) ? field : [field]).map((one) => section(name, one, schema)),
  )
  const body = `${sections.join('')}--${BOUNDARY}--\r\n`
  return { type: `${concrete(type)}; boundary=${BOUNDARY}`, body }
}

function section(name, value, schema) {
  const property = schema?.properties?.[name]
  const isFile = (property?.items ?? property)?.format === 'binary'
  const file = isFile ? '; filename="file.bin"' : ''
  const lines = [`--${BOUNDARY}`, `Content-Disposition: form-data; name="${name}"${file}`]
  if (isFile) lines.push('Content-Type: application/octet-stream')
  else if (isForm(value)) lines.push('Content-Type: application/json')
  return `${[...lines, '', text(value)].join('\r\n')}\r\n`
}

function concrete(type) {
  return type.replace(/^text\/\*$/, 'text/plain').replace(/\/\*$/, '/octet-stream')
}

function text(value) {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function isForm(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
