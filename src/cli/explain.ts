import { Command } from 'commander'
import { contract as shippedContract } from '../generated/contract.ts'
import { type Binding, bind } from '../resources/bind.ts'
import {
  addDocumentOptions,
  type DocumentFlags,
  documentArgument,
  loadOptions,
} from './document-options.ts'
import { openContract } from './open-contract.ts'
import { table } from './table.ts'
import { painter, printable } from './terminal.ts'

/** `pet-sandbox explain`: prints the behaviour of each operation, and the reason for it. */
export function explainCommand(): Command {
  const command = new Command('explain')
    .description('show the behaviour of each operation, and the reason for it')
    .argument('[openapi]', documentArgument(shippedContract.title))

  return addDocumentOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  pet-sandbox explain
  pet-sandbox explain books.yaml`,
    )
    .action(async (openapi: string | undefined, options: DocumentFlags) => {
      const contract = await openContract(openapi, loadOptions(options))
      const [header = '', ...lines] = table([HEADER, ...bind(contract).map(toRow)]).map(printable)
      const paint = painter(process.stdout, process.env)
      process.stdout.write(`${[paint('bold', header), ...lines].join('\n')}\n`)
    })
}

const HEADER = ['OPERATION', 'REQUEST', 'BEHAVIOUR', 'REASON']

function toRow({ operation, action, reason }: Binding): readonly string[] {
  const request = `${operation.method} ${operation.path}`
  return [operation.id, request, action, operation.deprecation ? `${reason}; deprecated` : reason]
}
