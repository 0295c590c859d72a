export { type HandlerOptions, strict, toHandlers } from './transports/msw.ts'
export { handlers, sandbox } from './transports/ready-handlers.ts'
