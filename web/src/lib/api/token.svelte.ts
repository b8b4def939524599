// Asks a person for the admin token, which the API needs from another machine, or for any token that opens games. TokenDialog.svelte shows the question.
export type TokenFor = 'api' | 'games';
interface Question {
  reason: string;
  what: TokenFor;
  answer: (token: string | undefined) => void;
}

class TokenQuestion {
  pending = $state.raw<Question | undefined>(undefined);
  // The person declined: automatic requests do not ask again.
  declined = false;
}

export const tokenQuestion = new TokenQuestion();

let asking: Promise<string | undefined> | undefined;

// undefined if the person declined. Several requests that fail at once ask once.
export function requestToken(reason: string, what: TokenFor = 'api'): Promise<string | undefined> {
  asking ??= new Promise<string | undefined>((resolve) => {
    tokenQuestion.pending = {
      reason,
      what,
      answer: (token) => {
        tokenQuestion.pending = undefined;
        tokenQuestion.declined = token === undefined;
        asking = undefined;
        resolve(token);
      },
    };
  });
  return asking;
}
