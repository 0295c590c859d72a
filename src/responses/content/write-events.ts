import { isObject } from '../../validation/objects.ts'
import type { ContentWriter } from './content-writer.ts'

/** A few server-sent events, and then the end of the stream (HTML standard, "Server-sent events"). */
export const eventsWriter: ContentWriter = {
  takesText: true,
  isSequence: true,
  sample: 'data: 1\n\ndata: 2\n\ndata: 3\n\n',
  write: (value) => ({ body: [value].flat().map(toEvent).join('') }),
}

/** An object with `data` describes the event. Any other value is its data. */
function toEvent(value: unknown): string {
  const isEvent = isObject(value) && Object.hasOwn(value, 'data')
  const { data, ...fields } = isEvent ? value : { data: value }
  const lines = ['event', 'id', 'retry'].flatMap((name) => {
    const text = Object.hasOwn(fields, name) ? String(fields[name]).replace(/[\r\n\0]/g, ' ') : ''
    return text === '' ? [] : [`${name}: ${text}`]
  })
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
  const content = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}`)

  return `${[...lines, ...content].join('\n')}\n\n`
}
