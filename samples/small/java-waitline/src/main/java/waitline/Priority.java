package waitline;

/** How soon a caller is answered; earlier ones go first. */
public enum Priority {
    EMERGENCY,
    CUSTOMER,
    VISITOR
}
