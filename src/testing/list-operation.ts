import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Operation, Parameter, Schema } from '../contract/contract.ts'

/** An operation that lists books. It has query parameters with these schemas, and a response with this one. */
export function listOperation(query: Readonly<Record<string, Schema>>, list: Schema): Operation {
  const compiler = new Ajv2020({ strict: false, validateFormats: false })
  const parameters = Object.entries(query).map(
    ([name, schema]): Parameter => ({
      name,
      in: 'query',
      required: false,
      schema,
      validate: compiler.compile(schema),
    }),
  )
  const response = { status: 200, schema: list, validate: compiler.compile(list) }

  return {
    id: 'listBooks',
    method: 'GET',
    path: '/books',
    secured: false,
    parameters,
    responses: [response],
  }
}
