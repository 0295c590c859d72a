import type { Contract, Operation } from '../contract/contract.ts'
import { isJson } from '../contract/is-json.ts'
import { hasSimpleInput } from '../contract/simple-input.ts'

/** A contract whose operations say whether their input is simple, once bodies have no more than JSON. */
export function withInputHints(contract: Contract): Contract {
  const operations = contract.operations.map((operation) => ({
    ...operation,
    hasSimpleInput: hasSimpleInput(operation),
  }))
  return { ...contract, operations }
}

/** Only the first request that a start prints uses examples of parameters and bodies. A body in JSON needs no list of its content. */
export function withoutInputExamples({ otherResponses: _, ...operation }: Operation): Operation {
  const { body } = operation
  const parameters = operation.parameters.map(({ example: _, ...parameter }) => parameter)
  if (!body) return { ...operation, parameters }
  const { example: _example, content = [], ...bareBody } = body
  const contents = content.map(({ examples: _examples, ...media }) => media)
  const isOnlyJson = content.length === 1 && isJson(content[0]?.mediaType ?? '')

  return {
    ...operation,
    parameters,
    body: isOnlyJson ? bareBody : { ...bareBody, ...(content.length > 0 && { content: contents }) },
  }
}
