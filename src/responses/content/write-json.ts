import type { ContentWriter } from './content-writer.ts'

export const jsonWriter: ContentWriter = {
  takesText: false,
  write: (value) => ({ body: JSON.stringify(value) ?? 'null' }),
}
