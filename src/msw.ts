export { type HandlerOptions, handlers, sandbox, strict, toHandlers } from './transports/msw.ts'
