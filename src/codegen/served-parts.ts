import type { Contract, Operation, RequestBody } from '../contract/contract.ts'
import type { DocumentedResponse } from '../contract/documented-response.ts'

/** The contract without what only the start of a server uses: examples of parameters and bodies, which a client sends. */
export function withServedParts(contract: Contract): Contract {
  return { ...contract, operations: contract.operations.map(servedOperation) }
}

function servedOperation(operation: Operation): Operation {
  const { parameters, body, responses, otherResponses } = operation
  return {
    ...operation,
    parameters: parameters.map(({ example: _, ...parameter }) => parameter),
    ...(body && { body: servedBody(body) }),
    responses: responses.map(servedResponse),
    ...(otherResponses && { otherResponses: otherResponses.map(servedResponse) }),
  }
}

function servedBody({ example: _, ...body }: RequestBody): RequestBody {
  const content = body.content?.map(({ examples: _, ...media }) => media)
  return { ...body, ...(content && { content }) }
}

/** The examples of a response are in its content, if it has any. */
function servedResponse<Part extends DocumentedResponse>(part: Part): Part | Omit<Part, 'example'> {
  const { example: _, ...others } = part
  return part.content ? others : part
}
