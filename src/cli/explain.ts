import { Command } from 'commander'
import { contract as shippedContract } from '../generated/contract.ts'
import { type Binding, bind } from '../resources/bind.ts'
import { painter, printable } from './log.ts'
import { openContract } from './open-server.ts'
import { table } from './table.ts'

/** `pet-sandbox explain`: what each operation does in the sandbox, and how that was found. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('show each operation, the behaviour bound to it, and why')
    .argument('[openapi]', `an OpenAPI document; the ${shippedContract.title} when left out`)
    .option('--allow-remote-refs', 'let the document refer to other servers')
    .option('--allow-outside-refs', 'let the document refer to files outside its folder')
    .action(async (openapi: string | undefined, options: ExplainOptions) => {
      const contract = await openContract(openapi, {
        remoteRefs: options.allowRemoteRefs ?? false,
        outsideRefs: options.allowOutsideRefs ?? false,
      })
      const [head = '', ...lines] = table([HEAD, ...bind(contract).map(toRow)]).map(printable)
      const paint = painter(process.stdout, process.env)
      process.stdout.write(`${[paint('bold', head), ...lines].join('\n')}\n`)
    })
}

interface ExplainOptions {
  readonly allowRemoteRefs?: boolean
  readonly allowOutsideRefs?: boolean
}

const HEAD = ['OPERATION', 'REQUEST', 'BEHAVIOUR', 'WHY']

function toRow({ operation, action, reason }: Binding): readonly string[] {
  const request = `${operation.method} ${operation.path}`
  return [operation.id, request, action, operation.deprecation ? `${reason}; deprecated` : reason]
}
