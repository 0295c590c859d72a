import type { ContentWriter } from './content-writer.ts'

export const jsonWriter: ContentWriter = {
  takesText: false,
  isJson: true,
  write: (value) => ({ body: JSON.stringify(value) ?? 'null' }),
}
