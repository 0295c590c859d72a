import { propertiesOf } from '../../contract/schema-properties.ts'
import { isObject } from '../../validation/objects.ts'
import type { ChosenMediaType } from '../choose-media-type.ts'
import type { ContentWriter } from './content-writer.ts'

const BOUNDARY = 'sandbox-part-boundary'

/** Parts with a boundary (RFC 2046, and RFC 7578 for forms). */
export const multipartWriter: ContentWriter = {
  takesText: false,
  write: (value, chosen) => {
    const isForm = chosen.mediaType === 'multipart/form-data'
    const entries = isObject(value) ? Object.entries(value) : [value].flat().entries()
    const parts = [...entries].flatMap(([name, inner]) =>
      [inner].flat().map((one) => toPart(String(name), one, chosen, isForm)),
    )
    const body = `${parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')}--${BOUNDARY}--\r\n`

    return { body, contentType: `${chosen.mediaType}; boundary=${BOUNDARY}` }
  },
}

function toPart(name: string, value: unknown, { media }: ChosenMediaType, isForm: boolean): string {
  const schema = media.schema ? propertiesOf(media.schema).get(name) : undefined
  const isFile = schema?.format === 'binary'
  const [stated] = media.encoding?.[name]?.contentType?.split(',') ?? []
  const usual = typeof value === 'object' ? 'application/json' : 'text/plain; charset=utf-8'
  const type = stated ?? (isFile ? 'application/octet-stream' : usual)
  const escaped = name.replace(/["\r\n]/g, encodeURIComponent)
  const file = isFile ? `; filename="${escaped}"` : ''
  const disposition = isForm ? `Content-Disposition: form-data; name="${escaped}"${file}\r\n` : ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)

  return `${disposition}Content-Type: ${type}\r\n\r\n${text}`
}
