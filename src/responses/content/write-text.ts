import type { ContentWriter } from './content-writer.ts'

export const textWriter: ContentWriter = {
  takesText: true,
  write: (value) => ({ body: toText(value) }),
}

/** A value as plain text: objects and lists as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
