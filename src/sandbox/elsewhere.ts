import type { Contract } from '../contract/contract.ts'
import type { Reply } from '../message.ts'
import { problems } from '../problem.ts'

/** The 404 for an address outside the API, which tells where the API is. `crossOrigin` are the headers of CORS. */
export function elsewhere(
  { basePath, operations, title }: Contract,
  origin: string,
  pathname: string,
  crossOrigin: Reply['headers'],
): Reply {
  const paths = operations.map(({ method, path }) => `${method} ${basePath}${path}`).join(', ')

  return problems
    .notFound(`There is nothing at ${pathname}. The ${title} is at ${origin}${basePath}: ${paths}.`)
    .with(crossOrigin)
    .toReply()
}
