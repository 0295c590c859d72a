// What the build writes types of: the schemas that a document names, each with its references resolved.
import SwaggerParser from '@apidevtools/swagger-parser'

export async function namedSchemas(file) {
  const { info, components } = await SwaggerParser.dereference(file)
  return { title: info.title, schemas: components.schemas }
}
