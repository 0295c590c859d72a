import { asObject } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'
import type { Source } from '../source.ts'
import { convertSwagger } from './convert-swagger.ts'
import { swaggerPointer } from './swagger-pointer.ts'

/**
 * The source of a Swagger 2.0 document as the source of an OpenAPI 3.0 document, whose values are located in the Swagger
 * document, and what was lost.
 */
export async function convertSource(
  source: Source,
): Promise<{ readonly source: Source; readonly mistakes: readonly Mistake[] }> {
  const value = asObject(source.value)
  const { document, notes } = await convertSwagger(value)
  const locateAll: Source['locateAll'] = (wanted) =>
    source.locateAll(
      wanted.map(({ pointer, part }) => ({
        pointer: swaggerPointer(pointer, document, value),
        part,
      })),
    )
  const locate: Source['locate'] = (pointer, part) => locateAll([{ pointer, part }])[0] ?? ''
  const mistakes = notes.map(({ reason, pointer }): Mistake => {
    const help = 'Correct the document, or convert it to OpenAPI 3.'
    return { reason, location: { source, pointer }, assumed: 'it is left out', help }
  })

  return { source: { ...source, value: document, locate, locateAll }, mistakes }
}
