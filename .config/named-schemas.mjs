// The named schemas of a document, with their references resolved. The build writes types for them.
import SwaggerParser from '@apidevtools/swagger-parser'

export async function namedSchemas(file) {
  const { info, components } = await SwaggerParser.dereference(file)
  return { title: info.title, schemas: components.schemas }
}
