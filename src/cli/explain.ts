import { Command } from 'commander'
import { contract as shippedContract } from '../generated/contract.ts'
import { type Binding, bind } from '../resources/bind.ts'
import { openContract } from './open-server.ts'
import { table } from './table.ts'
import { painter, printable } from './terminal.ts'

/** `pet-sandbox explain`: prints the behaviour of each operation, and the reason for it. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('show the behaviour of each operation, and the reason for it')
    .argument('[openapi]', `OpenAPI document (default: the ${shippedContract.title})`)
    .option('--allow-remote-refs', 'allow $refs to other servers')
    .option('--allow-outside-refs', "allow $refs to files outside the document's folder")
    .addHelpText(
      'after',
      `
Examples:
  pet-sandbox explain
  pet-sandbox explain books.yaml`,
    )
    .action(async (openapi: string | undefined, options: ExplainOptions) => {
      const contract = await openContract(openapi, {
        remoteRefs: options.allowRemoteRefs ?? false,
        outsideRefs: options.allowOutsideRefs ?? false,
      })
      const [header = '', ...lines] = table([HEADER, ...bind(contract).map(toRow)]).map(printable)
      const paint = painter(process.stdout, process.env)
      process.stdout.write(`${[paint('bold', header), ...lines].join('\n')}\n`)
    })
}

interface ExplainOptions {
  readonly allowRemoteRefs?: boolean
  readonly allowOutsideRefs?: boolean
}

const HEADER = ['OPERATION', 'REQUEST', 'BEHAVIOUR', 'REASON']

function toRow({ operation, action, reason }: Binding): readonly string[] {
  const request = `${operation.method} ${operation.path}`
  return [operation.id, request, action, operation.deprecation ? `${reason}; deprecated` : reason]
}
