import type { ContentWriter } from './content-writer.ts'

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><rect width="1" height="1"/></svg>'

export const svgWriter: ContentWriter = {
  takesText: true,
  isFile: true,
  write: () => ({ body: SVG }),
}
