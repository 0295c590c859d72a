import type { ContentWriter } from './content-writer.ts'

export const textWriter: ContentWriter = {
  takesText: true,
  write: (value) => ({ body: toText(value) }),
}

export const htmlWriter: ContentWriter = {
  takesText: true,
  sample: '<!doctype html>\n<html lang="en"><title>Sandbox</title><p>Sandbox</p></html>\n',
  write: (value) => ({ body: toText(value) }),
}

/** JSON is YAML, too. */
export const yamlWriter: ContentWriter = {
  takesText: true,
  write: (value) => ({ body: `${JSON.stringify(value, undefined, 2)}\n` }),
}

/** A value as plain text: objects and lists as JSON. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
